import { useState } from 'react'
import { deleteGitConnection, listGitConnections, listRepositories } from '#contract/api/git-connection.ts'
import { useAction, useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton, OutLink } from '../ui/control/button.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'
import { ConnectGithubDialog } from './connect-github-dialog.tsx'
import { ConnectHostDialog } from './connect-host-dialog.tsx'
import { connectionName, GIT_HOSTS } from './git-hosts.ts'

/** Accounts at hosts of repositories that projects are deployed through. */
export function GitConnectionsPage() {
  const { connections } = useRead('git-connection', listGitConnections)
  const [adding, setAdding] = useState<'github' | 'token'>()
  const [leaving, setLeaving] = useState<(typeof connections)[number]>()
  const test = useAction(
    async (id: string, { client }) => client.call(listRepositories, { params: { id }, query: { page: 1 } }),
    {
      changes: ['git-connection'],
      done: ({ repositories, next }) =>
        repositories.length === 0
          ? 'The token works, but gives access to no repositories.'
          : `The token works and gives access to ${repositories.length}${next === null ? '' : ' or more'} ${repositories.length === 1 ? 'repository' : 'repositories'}.`,
    },
  )
  const remove = useAction((id: string, { client }) => client.call(deleteGitConnection, { params: { id } }), {
    changes: ['git-connection'],
    done: 'Git host removed.',
    after: () => setLeaving(undefined),
  })
  const add = (
    <div className="flex flex-wrap justify-center gap-2">
      <Button look="primary" onClick={() => setAdding('github')}>
        Connect GitHub
      </Button>
      <Button icon="plus" onClick={() => setAdding('token')}>
        Connect a Git host
      </Button>
    </div>
  )

  return (
    <Page
      title="Git hosts"
      about="Connect GitHub, GitLab, Gitea, Forgejo or Bitbucket once, then choose repositories from a list."
      actions={connections.length > 0 && add}
    >
      <Card flush>
        {connections.length === 0 ? (
          <Empty icon="alias" title="No Git hosts connected" action={add}>
            You can also deploy any repository by its URL, or push to this server directly.
          </Empty>
        ) : (
          <Table
            label="Git hosts"
            rows={connections}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Account',
                cell: (connection) => (
                  <>
                    <span className="block font-medium break-all">{connection.login}</span>
                    <OutLink href={connection.url} className="text-soft hover:underline">
                      {new URL(connection.url).host}
                    </OutLink>
                    {connection.problem !== null && (
                      <span className="mt-1 block max-w-prose text-bad">{connection.problem}</span>
                    )}
                  </>
                ),
              },
              { title: 'Host', wide: true, cell: ({ kind }) => GIT_HOSTS[kind].label },
              {
                title: 'Status',
                cell: ({ problem }) =>
                  problem === null ? (
                    <Badge tone="good">Connected</Badge>
                  ) : (
                    <Badge tone="bad">Token rejected</Badge>
                  ),
              },
              { title: 'Added', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
            actions={(connection) => (
              <div className="flex justify-end gap-1">
                <Button
                  size="small"
                  aria-label={`Test ${connectionName(connection)}`}
                  busy={test.isPending && test.variables === connection.id}
                  onClick={() => test.mutate(connection.id)}
                >
                  Test
                </Button>
                <IconButton
                  icon="trash"
                  label={`Remove ${connectionName(connection)}`}
                  onClick={() => setLeaving(connection)}
                />
              </div>
            )}
          />
        )}
      </Card>
      {adding === 'github' && <ConnectGithubDialog onClose={() => setAdding(undefined)} />}
      {adding === 'token' && <ConnectHostDialog onClose={() => setAdding(undefined)} />}
      {leaving && (
        <Confirm
          title={`Remove ${connectionName(leaving)}?`}
          action="Remove host"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          <p>
            Its token is deleted here. Revoke it at the host, too, if nothing else uses it. A host that
            projects are deployed from cannot be removed until they are disconnected.
          </p>
        </Confirm>
      )}
    </Page>
  )
}
