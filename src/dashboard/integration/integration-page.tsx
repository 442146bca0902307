import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  confirmScopes,
  deleteConfiguration,
  getConfiguration,
  transferConfiguration,
  updateConfiguration,
} from '#contract/api/installation.ts'
import { useAccount, useAccounts, useParam } from '../api/account.tsx'
import { useAction, useRead } from '../api/query.ts'
import { ProjectBoxes } from '../project/project-boxes.tsx'
import { Button } from '../ui/control/button.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Facts } from '../ui/layout/facts.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Time } from '../ui/text/time.tsx'
import { scopeInWords } from './scopes.ts'

export function IntegrationPage() {
  const account = useAccount()
  const { user } = useAccounts()
  const id = useParam('id')
  const navigate = useNavigate()
  const it = useRead('integration', getConfiguration, { params: { id } })
  const [chosen, setChosen] = useState<readonly string[]>(it.projectSelection === 'all' ? [] : it.projects)
  const [leaving, setLeaving] = useState(false)
  const pending = (it.scopesQueue ?? []).filter(({ confirmedAt }) => confirmedAt === undefined)

  const choose = useAction(
    (_input: undefined, { client }) =>
      client.call(updateConfiguration, {
        params: { id },
        body:
          chosen.length === 0
            ? { projectSelection: 'all' }
            : { projectSelection: 'selected', projects: [...chosen] },
      }),
    { changes: ['integration'], done: 'Saved.' },
  )
  const agree = useAction((_input: undefined, { client }) => client.call(confirmScopes, { params: { id } }), {
    changes: ['integration'],
    done: 'Approved. The integration can use the new scopes now.',
  })
  const take = useAction(
    (_input: undefined, { client }) =>
      client.call(transferConfiguration, { params: { id }, body: { userId: user.id } }),
    { changes: ['integration'], done: 'You now own this installation.' },
  )
  const remove = useAction(
    (_input: undefined, { client }) => client.call(deleteConfiguration, { params: { id } }),
    {
      changes: ['integration'],
      done: `${it.slug} removed.`,
      after: () => void navigate({ to: '/a/$account/integrations', params: { account: account.slug } }),
    },
  )

  return (
    <Page
      title={it.slug}
      back={{ label: 'Integrations', to: '/a/$account/integrations', params: { account: account.slug } }}
      actions={
        <Button look="danger" onClick={() => setLeaving(true)}>
          Remove
        </Button>
      }
    >
      {it.disabledAt !== undefined && (
        <Card
          title="Disabled"
          about={it.disabledReason ?? 'The person who installed it no longer has permission to.'}
          actions={
            account.kind === 'team' && (
              <Button look="primary" busy={take.isPending} onClick={() => take.mutate(undefined)}>
                Take ownership
              </Button>
            )
          }
        />
      )}
      {pending.map(({ scopes, note, requestedAt }) => (
        <Card
          key={requestedAt}
          title="Additional access requested"
          about={note ?? undefined}
          footer={
            <>
              <span>
                Requested <Time at={requestedAt} />. Until you approve, it keeps its current access.
              </span>
              <Button look="primary" busy={agree.isPending} onClick={() => agree.mutate(undefined)}>
                Approve
              </Button>
            </>
          }
        >
          <ul className="list-disc space-y-1 pl-5 text-sm">
            {[...scopes.added, ...scopes.upgraded].map((scope) => (
              <li key={scope}>{scopeInWords(scope)}</li>
            ))}
          </ul>
        </Card>
      ))}
      <Card title="Access">
        <ul className="mb-4 list-disc space-y-1 pl-5 text-sm">
          {it.scopes.map((scope) => (
            <li key={scope}>{scopeInWords(scope)}</li>
          ))}
        </ul>
        <Facts
          facts={[
            ['Installed', <Time key="installed" at={it.createdAt} />],
            ['ID', <code key="id">{it.id}</code>],
          ]}
        />
      </Card>
      <Card
        title="Projects"
        footer={
          <>
            <span />
            <Button look="primary" busy={choose.isPending} onClick={() => choose.mutate(undefined)}>
              Save
            </Button>
          </>
        }
      >
        <ProjectBoxes label="Projects it can access" chosen={chosen} onChange={setChosen} />
      </Card>
      {leaving && (
        <Confirm
          title={`Remove ${it.slug}?`}
          action="Remove integration"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(undefined)}
          onClose={() => setLeaving(false)}
        >
          <p>Its tokens stop working immediately, and the variables and log drains it created are removed.</p>
        </Confirm>
      )}
    </Page>
  )
}
