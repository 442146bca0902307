import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  inspectProjectDomain,
  removeProjectDomain,
  verifyProjectDomain,
} from '#contract/api/project-domain.ts'
import { useAccount } from '../../api/account.tsx'
import { explain } from '../../api/explain.ts'
import { useAllCertificates } from '../../api/lists.ts'
import { refresh, useAction, useLater } from '../../api/query.ts'
import { Checks, NextStep, RecordsToMake } from '../../domain/doctor.tsx'
import { addressOf, type Project } from '../../project/project.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton, OutLink } from '../../ui/control/button.tsx'
import { Menu, MenuItem } from '../../ui/control/menu.tsx'
import { Confirm } from '../../ui/dialog/confirm.tsx'
import { Skeleton } from '../../ui/feedback/skeleton.tsx'
import { Elapsed } from '../../ui/text/elapsed.tsx'
import { Time } from '../../ui/text/time.tsx'
import { type Environment, useEnvironments } from '../environment/environments.ts'
import { DomainDialog } from './domain-dialog.tsx'
import type { ProjectDomain } from './project-domain.ts'

const showsOf = (
  { redirect, redirectStatusCode, gitBranch, customEnvironmentId }: ProjectDomain,
  environments: readonly Environment[],
): string => {
  if (redirect !== null) return `Redirects to ${redirect} (${redirectStatusCode ?? 307})`
  if (gitBranch !== null) return `Latest preview of ${gitBranch}`
  if (customEnvironmentId !== null)
    return `Environment ${environments.find(({ id }) => id === customEnvironmentId)?.slug ?? customEnvironmentId}`
  return 'Production'
}

/** The certificate that serves a host: its own, or one for all of its siblings. */
function Certificate({ host }: { host: string }) {
  const certificates = useAllCertificates()
  const wildcard = `*.${host.slice(host.indexOf('.') + 1)}`
  const found = certificates?.find(({ cns }) => cns.includes(host) || cns.includes(wildcard))
  if (certificates === undefined) return null
  return found ? (
    <>
      Certificate expires <Time at={found.expiration} />
      {found.autoRenew ? ', auto-renews' : ''}
    </>
  ) : (
    <>Certificate is issued on the first visit</>
  )
}

/** A domain of a project: what it shows, whether it works, and what is left to do. */
export function DomainItem({
  project,
  domain,
  siblings,
}: {
  project: Project
  domain: ProjectDomain
  siblings: readonly ProjectDomain[]
}) {
  const account = useAccount()
  const environments = useEnvironments(project.id)
  const queries = useQueryClient()
  const [asked, setAsked] = useState<'change' | 'remove'>()
  const params = { idOrName: project.id, domain: domain.name }
  const doctor = useLater('project-domain', inspectProjectDomain, { params })
  const verify = useAction((_: undefined, { client }) => client.call(verifyProjectDomain, { params }), {
    changes: ['project-domain', 'project', 'alias'],
    done: `${domain.name} is verified and connected.`,
    quiet: true,
  })
  const remove = useAction((_: undefined, { client }) => client.call(removeProjectDomain, { params }), {
    changes: ['project-domain', 'project', 'alias'],
    done: `${domain.name} removed.`,
  })
  const check = () =>
    domain.verified ? void refresh(queries, account.id, ['project-domain']) : verify.mutate(undefined)
  const ready = doctor.data?.ready === true
  const isBusy = domain.verified ? doctor.isFetching : verify.isPending

  return (
    <li className="space-y-4 px-5 py-4" aria-label={domain.name}>
      <div className="flex items-start justify-between gap-3 max-sm:flex-wrap">
        <div className="min-w-0">
          <h3 className="flex flex-wrap items-center gap-2 font-medium">
            <OutLink href={addressOf(domain.name)} className="break-all hover:underline">
              {domain.name}
            </OutLink>
            {!domain.verified ? (
              <Badge tone="warn">Verification needed</Badge>
            ) : doctor.data === undefined ? (
              <Badge>Checking…</Badge>
            ) : ready ? (
              <Badge tone="good">Active</Badge>
            ) : (
              <Badge tone="warn">DNS setup needed</Badge>
            )}
          </h3>
          <p className="mt-0.5 text-sm text-soft">
            {showsOf(domain, environments)}
            {domain.verified && (
              <>
                {' · '}
                <Certificate host={domain.name} />
              </>
            )}
          </p>
        </div>
        <div className="flex shrink-0 items-center gap-1">
          <Button size="small" icon="refresh" busy={isBusy} onClick={check}>
            Check again
          </Button>
          <Menu trigger={<IconButton icon="dots" label={`Actions for ${domain.name}`} />}>
            <MenuItem icon="gear" onSelect={() => setAsked('change')}>
              Edit
            </MenuItem>
            <MenuItem icon="trash" danger onSelect={() => setAsked('remove')}>
              Remove
            </MenuItem>
          </Menu>
        </div>
      </div>
      {doctor.data === undefined ? (
        doctor.error ? (
          <p className="text-sm text-bad">{explain(doctor.error)}</p>
        ) : (
          <Skeleton className="h-6" />
        )
      ) : (
        !ready && (
          <div className="space-y-4 rounded-lg bg-bg p-4">
            <NextStep is="act">{doctor.data.nextStep}</NextStep>
            <RecordsToMake records={doctor.data.records} />
            {verify.isPending && (
              <p role="status" className="text-sm">
                Looking up the DNS records of {domain.name}…{' '}
                <span aria-hidden className="text-soft">
                  <Elapsed since={verify.submittedAt} />
                </span>
              </p>
            )}
            {verify.error && (
              <p role="alert" className="text-sm text-bad">
                {explain(verify.error)} DNS changes can take a while to propagate.
              </p>
            )}
            <Checks checks={doctor.data.checks} />
          </div>
        )
      )}
      {asked === 'change' && (
        <DomainDialog
          project={project}
          domain={domain}
          siblings={siblings}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === 'remove' && (
        <Confirm
          title={`Remove ${domain.name}?`}
          action="Remove domain"
          busy={remove.isPending}
          onClose={() => setAsked(undefined)}
          onConfirm={() => remove.mutate(undefined, { onSuccess: () => setAsked(undefined) })}
        >
          <p>The domain stops serving this project. Deployments are not affected.</p>
        </Confirm>
      )}
    </li>
  )
}
