import { useState } from 'react'
import { createGitConnection } from '#contract/api/git-connection.ts'
import { useAction } from '../api/query.ts'
import { SelectField, TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'
import { GIT_HOSTS, type GitHostKind } from './git-hosts.ts'

const KINDS = (Object.keys(GIT_HOSTS) as GitHostKind[]).map((value) => ({
  value,
  label: GIT_HOSTS[value].label,
}))

/** Connects an account at a host of repositories by a token. */
export function ConnectHostDialog({
  onClose,
  onDone,
}: {
  onClose: () => void
  onDone?: (id: string) => void
}) {
  const [kind, setKind] = useState<GitHostKind>('github')
  const [url, setUrl] = useState('')
  const [token, setToken] = useState('')
  const [username, setUsername] = useState('')
  const host = GIT_HOSTS[kind]
  const connect = useAction(
    (_input: undefined, { client }) =>
      client.call(createGitConnection, {
        body: {
          kind,
          token: token.trim(),
          ...(url.trim() !== '' && { url: url.trim() }),
          ...(kind === 'bitbucket' && username.trim() !== '' && { username: username.trim() }),
        },
      }),
    {
      changes: ['git-connection'],
      done: ({ login }) => `Connected as ${login}.`,
      quiet: true,
      after: ({ id }) => {
        onDone?.(id)
        onClose()
      },
    },
  )
  return (
    <FormDialog
      title="Connect a Git host"
      about="Everyone who can act for this account can deploy from the repositories that the token can read. The token is encrypted and never shown again."
      onClose={onClose}
      action="Connect"
      busy={connect.isPending}
      onSubmit={() => connect.mutate(undefined)}
    >
      <SelectField label="Host" value={kind} onChange={setKind} options={KINDS} />
      <TextField
        label={host.url === '' ? 'Address' : 'Address (optional)'}
        hint={host.url === '' ? undefined : 'Only for a self-hosted server.'}
        placeholder={host.url === '' ? 'https://codeberg.org' : host.url}
        value={url}
        onChange={setUrl}
        required={host.url === ''}
        maxLength={500}
        literal
      />
      {kind === 'bitbucket' && (
        <TextField
          label="Email address"
          hint="Only for a personal API token. Leave empty for a workspace or repository token."
          value={username}
          onChange={setUsername}
          maxLength={200}
          autoComplete="off"
        />
      )}
      <TextField
        label="Access token"
        hint={`${host.token} It needs: ${host.scopes}${host.scopes.endsWith('.') ? '' : '.'}`}
        error={connect.problem}
        type="password"
        value={token}
        onChange={setToken}
        required
        maxLength={2000}
        autoComplete="off"
      />
    </FormDialog>
  )
}
