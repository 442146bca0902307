import { useState } from 'react'
import { deleteSshKey, listSshKeys } from '#contract/api/ssh-key.ts'
import { useAction, useRead } from '../api/query.ts'
import { Button, IconButton } from '../ui/control/button.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { CodeBlock } from '../ui/text/code-block.tsx'
import { Time } from '../ui/text/time.tsx'
import { NewSshKeyDialog } from './new-ssh-key-dialog.tsx'

export function SshKeysPage() {
  const { keys, server } = useRead('user', listSshKeys, {})
  const [adding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<(typeof keys)[number]>()
  const remove = useAction((id: string, { client }) => client.call(deleteSshKey, { params: { id } }), {
    changes: ['user'],
    done: 'SSH key removed.',
    after: () => setLeaving(undefined),
  })
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      Add SSH key
    </Button>
  )

  return (
    <Page
      title="SSH keys"
      about="Push and fetch with an SSH key instead of a token."
      actions={keys.length > 0 && add}
    >
      <Card flush>
        {keys.length === 0 ? (
          <Empty icon="key" title="No SSH keys yet" action={add}>
            Add the public half of a key, the file that ends in <code>.pub</code>.
          </Empty>
        ) : (
          <Table
            label="SSH keys"
            rows={keys}
            rowKey={({ id }) => id}
            columns={[
              { title: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
              {
                title: 'Fingerprint',
                wide: true,
                cell: ({ fingerprint }) => <code className="break-all">{fingerprint}</code>,
              },
              {
                title: 'Last used',
                cell: ({ usedAt }) => (usedAt === null ? 'Never' : <Time at={usedAt} />),
              },
              { title: 'Added', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
            actions={(key) => (
              <IconButton icon="trash" label={`Remove ${key.name}`} onClick={() => setLeaving(key)} />
            )}
          />
        )}
      </Card>
      <Card title="Connect">
        {server === null ? (
          <p>
            This server doesn't accept SSH connections. The operator can turn them on with{' '}
            <code>ALOFT_SSH_PORT</code>. Pushing over HTTP works with an access token.
          </p>
        ) : (
          <>
            <CodeBlock label="Add the remote">
              {`git remote add aloft ssh://git@${server.host}:${server.port}/<account>/<project>.git`}
            </CodeBlock>
            <p className="mt-3 text-sm text-soft">
              On the first connection, ssh should show this host key:{' '}
              <code className="break-all">{server.hostKeyFingerprint}</code>
            </p>
          </>
        )}
      </Card>
      {adding && <NewSshKeyDialog onClose={() => setAdding(false)} />}
      {leaving && (
        <Confirm
          title={`Remove “${leaving.name}”?`}
          action="Remove key"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          <p>You can no longer push or fetch with it. You can add it again later.</p>
        </Confirm>
      )}
    </Page>
  )
}
