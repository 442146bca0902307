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
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Facts } from '../ui/facts.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
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
    done: 'Agreed. It may use them from now on.',
  })
  const take = useAction(
    (_input: undefined, { client }) =>
      client.call(transferConfiguration, { params: { id }, body: { userId: user.id } }),
    { changes: ['integration'], done: 'You answer for it now.' },
  )
  const remove = useAction(
    (_input: undefined, { client }) => client.call(deleteConfiguration, { params: { id } }),
    {
      changes: ['integration'],
      done: `${it.slug} is removed.`,
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
          title="It is disabled"
          about={it.disabledReason ?? 'Whoever installed it may no longer do so.'}
          actions={
            account.kind === 'team' && (
              <Button look="primary" busy={take.isPending} onClick={() => take.mutate(undefined)}>
                Answer for it yourself
              </Button>
            )
          }
        />
      )}
      {pending.map(({ scopes, note, requestedAt }) => (
        <Card
          key={requestedAt}
          title="It asks for more"
          about={note ?? undefined}
          footer={
            <>
              <span>
                Asked <Time at={requestedAt} />. Until you agree it goes on with what it has.
              </span>
              <Button look="primary" busy={agree.isPending} onClick={() => agree.mutate(undefined)}>
                Agree
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
      <Card title="What it may do">
        <ul className="mb-4 list-disc space-y-1 pl-5 text-sm">
          {it.scopes.map((scope) => (
            <li key={scope}>{scopeInWords(scope)}</li>
          ))}
        </ul>
        <Facts
          facts={[
            ['Installed', <Time key="installed" at={it.createdAt} />],
            ['Id', <code key="id">{it.id}</code>],
          ]}
        />
      </Card>
      <Card
        title="In which projects"
        footer={
          <>
            <span />
            <Button look="primary" busy={choose.isPending} onClick={() => choose.mutate(undefined)}>
              Save
            </Button>
          </>
        }
      >
        <ProjectBoxes label="It may touch these" chosen={chosen} onChange={setChosen} />
      </Card>
      {leaving && (
        <Confirm
          title={`Remove ${it.slug}?`}
          action="Remove the integration"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(undefined)}
          onClose={() => setLeaving(false)}
        >
          <p>
            Its tokens stop working at once, and the variables and log drains that it made here are removed.
          </p>
        </Confirm>
      )}
    </Page>
  )
}
