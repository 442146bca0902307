import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { assignAlias, deleteAlias, listAliases } from '#contract/api/alias.ts'
import { listDeployments } from '#contract/api/deployment.ts'
import type { ReplyOf } from '#contract/endpoint.ts'
import { useAccount } from '../api/account.tsx'
import { explain } from '../api/explain.ts'
import { useAllProjects } from '../api/lists.ts'
import { useAction, useLater, useReadPages } from '../api/query.ts'
import { useSearchText } from '../api/search.ts'
import { addressOf } from '../project/project.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton, OutLink } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { SelectField, TextField } from '../ui/control/field.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'

type Alias = ReplyOf<(typeof listAliases)['reply']>['aliases'][number]

const MOST_OFFERED = 100

/** Points a host to a deployment. */
function AssignDialog({ alias, onClose }: { alias?: Alias; onClose: () => void }) {
  const [host, setHost] = useState(alias?.alias ?? '')
  const [project, setProject] = useState(alias?.projectId ?? '')
  const [deployment, setDeployment] = useState(alias?.deploymentId ?? '')
  const projects = useAllProjects() ?? []
  const { data } = useLater('deployment', listDeployments, {
    query: { limit: MOST_OFFERED, state: 'READY', ...(project !== '' && { projectId: project }) },
  })
  const ready = data?.deployments ?? []
  const isShown = project === '' || project === alias?.projectId
  const assign = useAction(
    (_: undefined, { client }) =>
      client.call(assignAlias, { params: { id: deployment }, body: { alias: host.trim() } }),
    { changes: ['alias', 'deployment', 'project'], done: `${host.trim()} assigned.`, quiet: true },
  )
  return (
    <FormDialog
      title={alias === undefined ? 'Assign alias' : `Reassign ${alias.alias}`}
      about="The domain serves this deployment until you reassign it."
      onClose={onClose}
      action="Assign"
      busy={assign.isPending}
      disabled={deployment === ''}
      onSubmit={() => assign.mutate(undefined, { onSuccess: onClose })}
    >
      {alias === undefined && (
        <TextField
          label="Domain"
          hint="A name under this installation's domain, or in a domain of this account."
          value={host}
          onChange={setHost}
          required
          maxLength={253}
          literal
        />
      )}
      <SelectField
        label="Project"
        value={project}
        onChange={(chosen) => {
          setProject(chosen)
          setDeployment('')
        }}
        options={[
          { value: '', label: 'All projects' },
          ...projects.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <SelectField
        label="Deployment"
        value={deployment}
        onChange={setDeployment}
        error={assign.error ? explain(assign.error) : undefined}
        hint={`The latest ${MOST_OFFERED} deployments that are ready.`}
        options={[
          { value: '', label: 'Select…' },
          ...(alias !== undefined && isShown && !ready.some(({ uid }) => uid === alias.deploymentId)
            ? [{ value: alias.deploymentId, label: alias.deployment.url ?? alias.deploymentId }]
            : []),
          ...ready.map(({ uid, name, url }) => ({ value: uid, label: `${name}: ${url ?? uid}` })),
        ]}
      />
    </FormDialog>
  )
}

/** Every host of the account, and what it shows. */
export function AliasesPage() {
  const account = useAccount()
  const [domain, setDomain] = useSearchText('domain')
  const [filter, setFilter] = useSearchText('q')
  const pages = useReadPages(
    'alias',
    listAliases,
    { query: { limit: 50, ...(domain !== '' && { domain }) } },
    ({ aliases }) => aliases,
  )
  const projects = useAllProjects()
  const [asked, setAsked] = useState<{ deed: 'assign' } | { deed: 'move' | 'remove'; alias: Alias }>()
  const close = () => setAsked(undefined)
  const remove = useAction(
    ({ uid }: Alias, { client }) => client.call(deleteAlias, { params: { id: uid } }),
    { changes: ['alias', 'deployment', 'project'], done: (_, { alias }) => `${alias} removed.` },
  )
  const words = filter.trim().toLowerCase()
  const rows = pages.rows.filter(({ alias }) => alias.includes(words))
  const nameOf = (id: string) => projects?.find((project) => project.id === id)?.name
  return (
    <Page
      title="Aliases"
      about="Domains and the deployments they point to. A project's production domains are updated automatically."
      actions={
        <Button icon="plus" look="primary" onClick={() => setAsked({ deed: 'assign' })}>
          Assign alias
        </Button>
      }
    >
      <Card flush>
        <div className="flex flex-wrap items-center gap-3 p-4">
          <div className="min-w-0 flex-1 basis-56">
            <TextField
              label="Search aliases"
              hideLabel
              type="search"
              placeholder="Search aliases"
              value={filter}
              onChange={setFilter}
            />
          </div>
          {domain !== '' && (
            <span className="flex items-center gap-1">
              <Badge tone="accent">Domain: {domain}</Badge>
              <IconButton icon="close" label="Show aliases of all domains" onClick={() => setDomain('')} />
            </span>
          )}
        </div>
        {pages.rows.length === 0 ? (
          <Empty icon="alias" title="No aliases yet">
            <p>
              Production deployments get their project's domains automatically. To assign others from the
              command line:
            </p>
            <div className="mt-4 text-left">
              <CopyLine text="aloft alias set <deployment> www.example.com" />
            </div>
          </Empty>
        ) : rows.length === 0 ? (
          <Empty icon="search" title="No matching aliases" />
        ) : (
          <Table
            label="Aliases"
            rows={rows}
            rowKey={({ uid }) => uid}
            columns={[
              {
                title: 'Domain',
                cell: ({ alias }) => (
                  <OutLink href={addressOf(alias)} className="font-medium break-all hover:underline">
                    {alias}
                  </OutLink>
                ),
              },
              {
                title: 'Deployment',
                cell: ({ deploymentId, deployment }) => (
                  <Link
                    to="/a/$account/deployments/$deployment"
                    params={{ account: account.slug, deployment: deploymentId }}
                    className="text-accent break-all hover:underline"
                  >
                    {deployment.url ?? deploymentId}
                  </Link>
                ),
              },
              {
                title: 'Project',
                wide: true,
                cell: ({ projectId }) => (
                  <Link
                    to="/a/$account/projects/$project"
                    params={{ account: account.slug, project: nameOf(projectId) ?? projectId }}
                    className="hover:underline"
                  >
                    {nameOf(projectId) ?? 'Project'}
                  </Link>
                ),
              },
              { title: 'Assigned', wide: true, cell: ({ created }) => <Time at={created} /> },
            ]}
            actions={(alias) => (
              <span className="flex justify-end max-sm:flex-col">
                <IconButton
                  icon="gear"
                  label={`Reassign ${alias.alias}`}
                  onClick={() => setAsked({ deed: 'move', alias })}
                />
                <IconButton
                  icon="trash"
                  label={`Remove ${alias.alias}`}
                  onClick={() => setAsked({ deed: 'remove', alias })}
                />
              </span>
            )}
          />
        )}
        <ShowOlder pages={pages} />
      </Card>
      {asked?.deed === 'assign' && <AssignDialog onClose={close} />}
      {asked?.deed === 'move' && <AssignDialog alias={asked.alias} onClose={close} />}
      {asked?.deed === 'remove' && (
        <Confirm
          title={`Remove ${asked.alias.alias}?`}
          action="Remove alias"
          busy={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate(asked.alias, { onSuccess: close })}
        >
          <p>This domain will stop serving the deployment. The deployment itself is not affected.</p>
        </Confirm>
      )}
    </Page>
  )
}
