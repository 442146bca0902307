import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { convertGitApp, listGitApps, refreshGitApp } from '#contract/api/git-app.ts'
import { useAccount, useParam } from '../api/account.tsx'
import { useAction, useRead } from '../api/query.ts'
import { Button } from '../ui/control/button.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Problem } from '../ui/feedback/problem.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Time } from '../ui/text/time.tsx'

/** Where GitHub leads back to: once after it has made the App, and once after the App was installed. */
export function GitAppPage() {
  const id = useParam('id')
  const { slug } = useAccount()
  const navigate = useNavigate()
  const { apps } = useRead('git-connection', listGitApps)
  const app = apps.find((one) => one.id === id)
  // As the address has it: a code may look like a number.
  const given = new URLSearchParams(location.search)
  const [code, state] = [given.get('code'), given.get('state')]
  const begun = useRef(false)

  const convert = useAction(
    (answer: { code: string; state: string }, { client }) =>
      client.call(convertGitApp, { params: { id }, body: answer }),
    {
      changes: ['git-connection'],
      quiet: true,
      after: ({ installUrl }) => installUrl !== null && location.assign(installUrl),
    },
  )
  const look = useAction((_input: undefined, { client }) => client.call(refreshGitApp, { params: { id } }), {
    changes: ['git-connection'],
    quiet: true,
    after: ({ connections }) => {
      if (connections.length > 0) void navigate({ to: '/a/$account/git', params: { account: slug } })
    },
  })
  useEffect(() => {
    // The code is good once.
    if (begun.current) return
    begun.current = true
    if (code !== null && state !== null) convert.mutate({ code, state })
    else if (given.has('installation_id')) look.mutate(undefined)
  })

  const error = convert.error ?? look.error
  const isBusy = convert.isPending || look.isPending
  return (
    <Page title="GitHub App" back={{ label: 'Git hosts', to: '/a/$account/git', params: { account: slug } }}>
      {error !== null && <Problem error={error} />}
      <Card flush>
        {app?.installUrl ? (
          <Empty
            icon="plug"
            title={isBusy ? 'Asking GitHub…' : `${app.name} was created`}
            action={
              <div className="flex gap-2">
                <Button look="primary" onClick={() => location.assign(app.installUrl ?? '')}>
                  Choose repositories on GitHub
                </Button>
                <Button icon="refresh" busy={isBusy} onClick={() => look.mutate(undefined)}>
                  I have installed it
                </Button>
              </div>
            }
          >
            Install the App on GitHub and choose the repositories that it can read.
            {app.refusedAt !== null && (
              <p className="mt-2">
                A webhook that was not signed by GitHub was refused <Time at={app.refusedAt} />.
              </p>
            )}
          </Empty>
        ) : (
          <Empty icon="plug" title={isBusy ? 'Connecting GitHub…' : 'GitHub is not connected yet'}>
            {isBusy ? 'This takes a moment.' : 'Connect GitHub again from the Git hosts page.'}
          </Empty>
        )}
      </Card>
    </Page>
  )
}
