import { useState } from 'react'
import { deleteToken, listTokens } from '#contract/api/token.ts'
import { useAction, useReadPages } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/control/button.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'
import { NewTokenDialog } from './new-token-dialog.tsx'

const KINDS: Readonly<Record<string, string>> = {
  login: 'Command-line login',
  account: 'Personal token',
  oauth2: 'Application',
}

export function TokensPage() {
  const pages = useReadPages('token', listTokens, { query: { limit: 100 } }, ({ tokens }) => tokens)
  const tokens = pages.rows
  const [making, setMaking] = useState(false)
  const [leaving, setLeaving] = useState<(typeof tokens)[number]>()
  const revoke = useAction((id: string, { client }) => client.call(deleteToken, { params: { id } }), {
    changes: ['token'],
    done: 'Token revoked. Requests that use it are now rejected.',
    after: () => setLeaving(undefined),
  })
  const make = (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      New token
    </Button>
  )

  return (
    <Page
      title="Access tokens"
      about="A token lets a script or an application act on your behalf. Use a separate token for each, so you can revoke them individually."
      actions={tokens.length > 0 && make}
    >
      <Card flush>
        {tokens.length === 0 ? (
          <Empty icon="key" title="No tokens yet" action={make}>
            Create one for your scripts or your CI. Send it as <code>Authorization: Bearer …</code>.
          </Empty>
        ) : (
          <Table
            label="Access tokens"
            rows={tokens}
            rowKey={({ id }) => id}
            columns={[
              { title: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
              { title: 'Kind', wide: true, cell: ({ type }) => <Badge>{KINDS[type] ?? type}</Badge> },
              { title: 'Last used', cell: ({ activeAt }) => <Time at={activeAt} /> },
              { title: 'Created', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                title: 'Expires',
                wide: true,
                cell: ({ expiresAt }) => (expiresAt === undefined ? 'Never' : <Time at={expiresAt} />),
              },
            ]}
            actions={(token) => (
              <IconButton icon="trash" label={`Revoke ${token.name}`} onClick={() => setLeaving(token)} />
            )}
          />
        )}
        <ShowOlder pages={pages} />
      </Card>
      {making && <NewTokenDialog onClose={() => setMaking(false)} />}
      {leaving && (
        <Confirm
          title={`Revoke “${leaving.name}”?`}
          action="Revoke token"
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          <p>Anything that uses it stops working immediately. This can't be undone.</p>
        </Confirm>
      )}
    </Page>
  )
}
