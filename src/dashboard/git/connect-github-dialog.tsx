import { useState } from 'react'
import { createGitApp } from '#contract/api/git-app.ts'
import { useAction } from '../api/query.ts'
import { TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'

/** Leads to GitHub, where an App is made with one click, and from there back to `GitAppPage`. */
export function ConnectGithubDialog({ onClose }: { onClose: () => void }) {
  const [organization, setOrganization] = useState('')
  const [url, setUrl] = useState('')
  const begin = useAction(
    (_input: undefined, { client }) =>
      client.call(createGitApp, {
        body: {
          ...(organization.trim() === '' ? {} : { organization: organization.trim() }),
          ...(url.trim() === '' ? {} : { url: url.trim() }),
        },
      }),
    { changes: ['git-connection'], quiet: true, after: ({ startUrl }) => location.assign(startUrl) },
  )
  return (
    <FormDialog
      title="Connect GitHub"
      about="GitHub creates an App that belongs to you. You choose the repositories it can read, and no token is needed."
      onClose={onClose}
      action="Continue to GitHub"
      busy={begin.isPending || begin.isSuccess}
      onSubmit={() => begin.mutate(undefined)}
    >
      <TextField
        label="Organization"
        hint="Leave empty for the repositories of your own account."
        error={begin.problem}
        value={organization}
        onChange={setOrganization}
        maxLength={100}
        autoComplete="off"
      />
      <TextField
        label="GitHub Enterprise URL"
        hint="Leave empty for github.com."
        value={url}
        onChange={setUrl}
        maxLength={500}
        autoComplete="off"
      />
    </FormDialog>
  )
}
