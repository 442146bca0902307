import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { acceptProject } from '#contract/api/project-transfer.ts'
import { sentence } from '#contract/words/wording.ts'
import { useAccount } from '../../api/account.tsx'
import { explain } from '../../api/explain.ts'
import { useAction } from '../../api/query.ts'
import { TextField } from '../../ui/control/field.tsx'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'

/** Takes a project that another account has offered into this one. */
export function AcceptTransfer({ onClose }: { onClose: () => void }) {
  const account = useAccount()
  const navigate = useNavigate()
  const [code, setCode] = useState('')
  const [name, setName] = useState('')
  const accept = useAction(
    (_: undefined, { client }) =>
      client.call(acceptProject, {
        params: { code: code.trim() },
        body: name === '' ? {} : { newProjectName: name },
      }),
    {
      changes: ['project', 'deployment', 'alias', 'project-domain', 'env'],
      done: (project) => sentence(`${project.name} now belongs to ${account.name}`),
      quiet: true,
    },
  )
  return (
    <FormDialog
      title="Accept a transfer"
      about={`Move a project into ${account.name} with the code you received.`}
      onClose={onClose}
      action="Accept transfer"
      busy={accept.isPending}
      onSubmit={() =>
        accept.mutate(undefined, {
          onSuccess: (project) => {
            onClose()
            void navigate({
              to: '/a/$account/projects/$project',
              params: { account: account.slug, project: project.name },
            })
          },
        })
      }
    >
      <TextField
        label="Code"
        mono
        value={code}
        onChange={setCode}
        error={accept.error ? explain(accept.error) : undefined}
        required
        literal
      />
      <TextField
        label="New name (optional)"
        hint="Only needed if this account already has a project with the same name."
        value={name}
        onChange={setName}
        maxLength={100}
        literal
      />
    </FormDialog>
  )
}
