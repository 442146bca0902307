import { deleteOtherSessions, deleteSession, listSessions } from '#contract/api/session.ts'
import { useAction, useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { browserName } from './browser-name.ts'

export function SessionsPage() {
  const { sessions } = useRead('session', listSessions)
  const end = useAction((id: string, { client }) => client.call(deleteSession, { params: { id } }), {
    changes: ['session'],
    done: 'That browser is signed out.',
  })
  const endOthers = useAction((_input: undefined, { client }) => client.call(deleteOtherSessions), {
    changes: ['session'],
    done: ({ ended }) => `Signed out ${ended} other ${ended === 1 ? 'browser' : 'browsers'}.`,
  })
  return (
    <Page
      title="Browsers"
      about="Where you are signed in. Sign out what you do not know."
      actions={
        sessions.length > 1 && (
          <Button look="danger" busy={endOthers.isPending} onClick={() => endOthers.mutate(undefined)}>
            Sign out all others
          </Button>
        )
      }
    >
      <Card flush>
        <Table
          label="Browsers in which you are signed in"
          rows={sessions}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Browser',
              cell: ({ userAgent, current }) => (
                <span className="flex flex-wrap items-center gap-2" title={userAgent}>
                  <span className="font-medium">{browserName(userAgent)}</span>
                  {current && <Badge tone="good">This one</Badge>}
                </span>
              ),
            },
            { title: 'Address', wide: true, cell: ({ ip }) => <code>{ip}</code> },
            { title: 'Last used', cell: ({ activeAt }) => <Time at={activeAt} /> },
            { title: 'Signed in', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              title: 'Actions',
              silent: true,
              align: 'right',
              cell: ({ id, current }) =>
                !current && (
                  <Button
                    size="small"
                    busy={end.isPending && end.variables === id}
                    onClick={() => end.mutate(id)}
                  >
                    Sign out
                  </Button>
                ),
            },
          ]}
        />
      </Card>
    </Page>
  )
}
