import { useState } from 'react'
import { createSecret, deleteSecret, listSecrets, renameSecret } from '#contract/api/secret.ts'
import type { ReplyOf } from '#contract/endpoint.ts'
import { explain } from '../api/explain.ts'
import { useAction, useReadPages } from '../api/query.ts'
import { Button, IconButton } from '../ui/control/button.tsx'
import { CopyButton, CopyLine } from '../ui/control/copy-button.tsx'
import { TextArea, TextField } from '../ui/control/field.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'

type Secret = ReplyOf<(typeof listSecrets)['reply']>['secrets'][number]

/** Adds a secret, or gives one another name: its value can be set once. */
function SecretDialog({ secret, onClose }: { secret?: Secret; onClose: () => void }) {
  const [name, setName] = useState(secret?.name ?? '')
  const [value, setValue] = useState('')
  const save = useAction(
    async (_: undefined, { client }) => {
      if (secret === undefined) await client.call(createSecret, { body: { name, value } })
      else await client.call(renameSecret, { params: { name: secret.uid }, body: { name } })
    },
    {
      changes: ['secret', 'env'],
      done: secret === undefined ? `${name} saved.` : `Renamed to ${name}.`,
      quiet: true,
    },
  )
  return (
    <FormDialog
      title={secret === undefined ? 'Add secret' : `Rename ${secret.name}`}
      about={
        secret === undefined
          ? 'The value is encrypted and can never be read again.'
          : 'Variables that reference it keep working.'
      }
      onClose={onClose}
      action={secret === undefined ? 'Save secret' : 'Rename'}
      busy={save.isPending}
      onSubmit={() => save.mutate(undefined, { onSuccess: onClose })}
    >
      <TextField
        label="Name"
        hint="Letters, digits, underscores, hyphens and dots; up to 100 characters."
        error={save.error ? explain(save.error) : undefined}
        mono
        value={name}
        onChange={setName}
        required
        maxLength={100}
        literal
      />
      {secret === undefined && (
        <TextArea
          label="Value"
          mono
          rows={3}
          value={value}
          onChange={setValue}
          required
          maxLength={65_536}
          literal
        />
      )}
    </FormDialog>
  )
}

/** Values that several projects share, and that nobody reads again. */
export function SecretsPage() {
  const pages = useReadPages('secret', listSecrets, { query: { limit: 100 } }, ({ secrets }) => secrets)
  const [asked, setAsked] = useState<{ deed: 'add' } | { deed: 'rename' | 'delete'; secret: Secret }>()
  const close = () => setAsked(undefined)
  const remove = useAction(
    ({ uid }: Secret, { client }) => client.call(deleteSecret, { params: { name: uid } }),
    { changes: ['secret', 'env'], done: ({ name }) => `${name} deleted.` },
  )
  const add = (
    <Button icon="plus" look="primary" onClick={() => setAsked({ deed: 'add' })}>
      Add secret
    </Button>
  )
  return (
    <Page
      title="Secrets"
      about="Encrypted values shared by the projects of this account. Environment variables reference them by name."
      actions={pages.rows.length > 0 && add}
    >
      <Card flush>
        {pages.rows.length === 0 ? (
          <Empty icon="key" title="No secrets yet" action={add}>
            <p>
              Set a secret once and reference it from variables of type “Account secret”, or from the command
              line:
            </p>
            <div className="mt-4 text-left">
              <CopyLine text="aloft env add DB_PASSWORD --secret db-password" />
            </div>
          </Empty>
        ) : (
          <Table
            label="Secrets"
            rows={pages.rows}
            rowKey={({ uid }) => uid}
            columns={[
              {
                title: 'Name',
                cell: ({ name }) => <code className="font-mono text-xs font-medium break-all">{name}</code>,
              },
              { title: 'Added', wide: true, cell: ({ created }) => <Time at={created} /> },
            ]}
            actions={(secret) => (
              <span className="flex justify-end">
                <CopyButton text={`@${secret.name}`} label={`Copy reference @${secret.name}`} />
                <IconButton
                  icon="gear"
                  label={`Rename ${secret.name}`}
                  onClick={() => setAsked({ deed: 'rename', secret })}
                />
                <IconButton
                  icon="trash"
                  label={`Delete ${secret.name}`}
                  onClick={() => setAsked({ deed: 'delete', secret })}
                />
              </span>
            )}
          />
        )}
        <ShowOlder pages={pages} />
      </Card>
      {asked?.deed === 'add' && <SecretDialog onClose={close} />}
      {asked?.deed === 'rename' && <SecretDialog secret={asked.secret} onClose={close} />}
      {asked?.deed === 'delete' && (
        <Confirm
          title={`Delete ${asked.secret.name}?`}
          action="Delete secret"
          busy={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate(asked.secret, { onSuccess: close })}
        >
          <p>
            Existing deployments keep its value. Projects whose variables reference it can't create new
            deployments until you change those variables.
          </p>
        </Confirm>
      )}
    </Page>
  )
}
