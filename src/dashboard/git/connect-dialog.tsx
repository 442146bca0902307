import { useState } from 'react'
import { connectSource } from '#contract/api/git.ts'
import { useAction } from '../api/query.ts'
import { TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'
import { ShownOnce } from '../ui/dialog/shown-once.tsx'
import { RepositoryChooser } from './repository-chooser.tsx'
import type { ChosenRepository } from './repository-list.tsx'

export function ConnectDialog({ idOrName, onClose }: { idOrName: string; onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [token, setToken] = useState('')
  const isSsh = /^(?:ssh:|[^/]+@)/.test(url)
  const connect = useAction(
    async (chosen: ChosenRepository | undefined, { client }) => {
      const { webhookSecret } = await client.call(connectSource, {
        params: { idOrName },
        body: chosen ?? { url, ...(token === '' || isSsh ? {} : { token }) },
      })
      if (webhookSecret === undefined) onClose()
      return webhookSecret
    },
    { changes: ['push'], done: 'Repository connected.', quiet: true },
  )
  if (connect.data !== undefined)
    return (
      <ShownOnce
        title="Copy the webhook secret now"
        about="Enter it as the secret when you add the webhook URL to the repository, so that forged requests are rejected. You won't be able to see it again."
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
      disabled={url.trim() === ''}
      wide
      onSubmit={() => connect.mutate(undefined)}
    >
      <RepositoryChooser onChosen={connect.mutate} />
      <TextField
        label="Or paste a repository URL"
        hint="https://github.com/me/site.git, or git@github.com:me/site.git for SSH with a deploy key."
        error={connect.problem}
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
