import { useState } from 'react'
import { connectSource } from '#contract/api/git.ts'
import { explain } from '../api/explain.ts'
import { useAction } from '../api/query.ts'
import { TextField } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { ShownOnce } from '../ui/shown-once.tsx'

export function ConnectDialog({ idOrName, onClose }: { idOrName: string; onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [token, setToken] = useState('')
  const isSsh = /^(?:ssh:|[^/]+@)/.test(url)
  const connect = useAction(
    async (_input: undefined, { client }) => {
      const { webhookSecret } = await client.call(connectSource, {
        params: { idOrName },
        body: { url, ...(token === '' || isSsh ? {} : { token }) },
      })
      if (webhookSecret === undefined) onClose()
      return webhookSecret
    },
    { changes: ['push'], done: 'The repository is connected.', quiet: true },
  )
  if (connect.data !== undefined)
    return (
      <ShownOnce
        title="Copy the webhook secret now"
        about="Enter it as the secret when you add the webhook URL to the repository, so that forged calls are refused. You won't be able to see it again."
        secret={connect.data}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title="Connect a repository"
      onClose={onClose}
      action="Connect"
      busy={connect.isPending}
      onSubmit={() => connect.mutate(undefined)}
    >
      <TextField
        label="Repository URL"
        hint="https://github.com/me/site.git, or git@github.com:me/site.git for SSH with a deploy key."
        error={connect.error === null ? undefined : explain(connect.error)}
        value={url}
        onChange={setUrl}
        required
        maxLength={1000}
        autoComplete="off"
      />
      {!isSsh && (
        <TextField
          label="Access token"
          hint="Needed for private repositories; it only has to read the repository."
          type="password"
          value={token}
          onChange={setToken}
          maxLength={1000}
          autoComplete="off"
        />
      )}
    </FormDialog>
  )
}
