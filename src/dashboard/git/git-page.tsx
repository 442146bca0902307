import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  approvePush,
  disconnectSource,
  getSource,
  listPushes,
  runPushAgain,
  syncSource,
} from '#contract/api/git.ts'
import { useAccount } from '../api/account.tsx'
import { useAction, useRead, useReadPages } from '../api/query.ts'
import { useProject } from '../project/project.ts'
import { SettingSwitch } from '../setting/setting-switch.tsx'
import { StateOf, type States } from '../ui/badge.tsx'
import { Button } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { HooksCard } from './hooks-card.tsx'
import { ProductionBranchCard } from './production-branch-card.tsx'

const STATES: States = {
  receiving: { tone: 'accent', says: 'Receiving' },
  queued: { tone: 'accent', says: 'Queued' },
  waiting: { tone: 'accent', says: 'Waiting' },
  held: { tone: 'warn', says: 'Needs approval' },
  deployed: { tone: 'good', says: 'Deployed' },
  done: { tone: 'neutral', says: 'Done' },
  skipped: { tone: 'neutral', says: 'Skipped' },
  failed: { tone: 'bad', says: 'Failed' },
}

const WEBHOOKS: Readonly<Record<string, string>> = {
  working: 'The webhook works: pushes are deployed immediately.',
  waiting: 'Webhook created. Waiting for its first delivery.',
  untested: 'Webhook created. The next push will show whether it works.',
}

/** Where the code of a project comes from, and what came of every push. */
export function GitPage() {
  const project = useProject()
  const { id: idOrName } = project
  return (
    <Page title="Git" about="Push to the production branch to go live; every other branch gets a preview.">
      <SourceCard idOrName={idOrName} />
      <PushesCard idOrName={idOrName} />
      <ProductionBranchCard idOrName={idOrName} />
      <Card title="Pull requests from forks">
        <SettingSwitch
          project={project}
          setting="gitForkProtection"
          label="Require approval for forks"
          hint="Each commit of a fork waits until a member of the account approves its deployment."
        />
      </Card>
      <HooksCard idOrName={idOrName} />
    </Page>
  )
}

function SourceCard({ idOrName }: { idOrName: string }) {
  const source = useRead('push', getSource, { params: { idOrName } })
  const [connecting, setConnecting] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const sync = useAction(
    (_input: undefined, { client }) => client.call(syncSource, { params: { idOrName } }),
    { changes: ['push'], done: 'Checking the repository.' },
  )
  const leave = useAction(
    (_input: undefined, { client }) => client.call(disconnectSource, { params: { idOrName } }),
    { changes: ['push'], done: 'Repository disconnected.', after: () => setLeaving(false) },
  )
  return (
    <Card title="Repository">
      {source.url === null ? (
        <div className="grid gap-3">
          <p>Push to this URL with any username, and an API token as the password:</p>
          <CopyLine text={`git push ${source.pushUrl} HEAD:main`} />
          <div>
            <Button icon="plug" onClick={() => setConnecting(true)}>
              Connect a repository
            </Button>
          </div>
        </div>
      ) : (
        <div className="grid gap-3">
          <p className="font-medium break-all">{source.url}</p>
          {source.problem !== null && (
            <p role="status" className="text-bad">
              {source.problem}
            </p>
          )}
          {source.publicKey !== null && (
            <>
              <p>Add this deploy key to the repository:</p>
              <CopyLine text={source.publicKey} />
            </>
          )}
          {source.webhook !== null && source.webhook.state !== 'failed' && (
            <p className="text-soft">{WEBHOOKS[source.webhook.state]}</p>
          )}
          {source.webhook?.state === 'failed' && (
            <p role="status" className="text-warn">
              The host rejected the webhook: {source.webhook.problem}
            </p>
          )}
          {source.webhookUrl !== null && (source.webhook === null || source.webhook.state === 'failed') && (
            <>
              <p>
                The repository is checked every five minutes. To deploy immediately, add this secret URL to it
                as a webhook for pushes:
              </p>
              <CopyLine text={source.webhookUrl} />
            </>
          )}
          <div className="flex flex-wrap gap-2">
            <Button icon="refresh" busy={sync.isPending} onClick={() => sync.mutate(undefined)}>
              Check now
            </Button>
            <Button onClick={() => setConnecting(true)}>Change</Button>
            <Button look="danger" onClick={() => setLeaving(true)}>
              Disconnect
            </Button>
          </div>
        </div>
      )}
      {connecting && <ConnectDialog idOrName={idOrName} onClose={() => setConnecting(false)} />}
      {leaving && (
        <Confirm
          title="Disconnect the repository?"
          action="Disconnect"
          busy={leave.isPending}
          onConfirm={() => leave.mutate(undefined)}
          onClose={() => setLeaving(false)}
        >
          <p>New pushes won’t be deployed. Existing deployments stay.</p>
        </Confirm>
      )}
    </Card>
  )
}

function PushesCard({ idOrName }: { idOrName: string }) {
  const { slug } = useAccount()
  const pages = useReadPages(
    'push',
    listPushes,
    { params: { idOrName }, query: { limit: 25 } },
    ({ pushes }) => pushes,
  )
  const again = useAction(
    (id: string, { client }) => client.call(runPushAgain, { params: { idOrName, id } }),
    { changes: ['push'], done: 'Push queued.' },
  )
  const approve = useAction(
    (id: string, { client }) => client.call(approvePush, { params: { idOrName, id } }),
    { changes: ['push'], done: 'Approved. Building without the project’s variables.' },
  )
  return (
    <Card title="Pushes" about="Each push, with its deployment or the reason why it was not deployed." flush>
      {pages.rows.length === 0 ? (
        <Empty icon="clock" title="No pushes yet">
          The first push will appear here.
        </Empty>
      ) : (
        <Table
          label="Pushes"
          rows={pages.rows}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Branch',
              cell: ({ branch, ref, before, after, message, pullRequest, reason }) => (
                <>
                  <span className="block font-medium break-all">
                    {branch ?? ref}
                    {pullRequest !== null && <PullRequestLink {...pullRequest} />}
                  </span>
                  <span className="block max-w-14 truncate text-soft md:max-w-80">
                    {after === null
                      ? before !== null && 'deleted'
                      : `${after.slice(0, 7)} ${message?.split('\n')[0] ?? ''}`}
                  </span>
                  {reason && <span className="block text-soft md:hidden">{reason.message}</span>}
                </>
              ),
            },
            {
              title: 'Status',
              cell: ({ state }) => <StateOf states={STATES} state={state} />,
            },
            {
              title: 'Outcome',
              wide: true,
              cell: ({ reason, deploymentId }) =>
                deploymentId === null ? (
                  (reason?.message ?? '–')
                ) : (
                  <Link
                    to="/a/$account/deployments/$deployment"
                    params={{ account: slug, deployment: deploymentId }}
                    className="hover:underline"
                  >
                    Deployment
                  </Link>
                ),
            },
            { title: 'By', wide: true, cell: ({ source }) => source },
            { title: 'When', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
          actions={({ id, after, branch, state }) =>
            after !== null &&
            branch !== null && (
              <Button
                size="small"
                aria-label={`${state === 'held' ? 'Approve' : 'Run again'}: ${branch} ${after.slice(0, 7)}`}
                onClick={() => (state === 'held' ? approve : again).mutate(id)}
              >
                {state === 'held' ? 'Approve' : 'Run again'}
              </Button>
            )
          }
        />
      )}
      <ShowOlder pages={pages} />
    </Card>
  )
}

const PullRequestLink = ({ number, url }: { number: number; url: string | null }) =>
  url === null ? (
    <span className="ml-2 text-soft">#{number}</span>
  ) : (
    <a className="ml-2 text-soft underline" href={url} target="_blank" rel="noreferrer">
      #{number}
    </a>
  )
