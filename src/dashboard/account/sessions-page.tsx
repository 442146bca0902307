import { deleteOtherSessions, deleteSession, listSessions } from '#contract/api/session.ts'
import { count } from '#contract/words/wording.ts'
import { useAction, useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/control/button.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'
import { browserName } from './browser-name.ts'

export function SessionsPage() {
  const { sessions } = useRead('session', listSessions)
  const end = useAction((id: string, { client }) => client.call(deleteSession, { params: { id } }), {
    changes: ['session'],
    done: 'Session signed out.',
  })
  const endOthers = useAction((_input: undefined, { client }) => client.call(deleteOtherSessions), {
    changes: ['session'],
    done: ({ ended }) => `Signed out of ${count(ended, 'other session')}.`,
  })
  return (
    <Page
      title="Sessions"
      about="Browsers where you're signed in. Sign out of any session you don't recognize."
      actions={
        sessions.length > 1 && (
          <Button look="danger" busy={endOthers.isPending} onClick={() => endOthers.mutate(undefined)}>
            Sign out of all other sessions
          </Button>
        )
      }
    >
      <Card flush>
        <Table
          label="Sessions"
          rows={sessions}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Browser',
              cell: ({ userAgent, current }) => (
                <span className="flex flex-wrap items-center gap-2" title={userAgent}>
                  <span className="font-medium">{browserName(userAgent)}</span>
                  {current && <Badge tone="good">Current session</Badge>}
                </span>
              ),
            },
            { title: 'IP address', wide: true, cell: ({ ip }) => <code>{ip}</code> },
            { title: 'Last active', cell: ({ activeAt }) => <Time at={activeAt} /> },
            { title: 'Signed in', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
          actions={({ id, current }) =>
            !current && (
              <Button
                size="small"
                busy={end.isPending && end.variables === id}
                onClick={() => end.mutate(id)}
              >
                Sign out
              </Button>
            )
          }
        />
      </Card>
    </Page>
  )
}
