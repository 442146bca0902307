import { useState } from 'react'
import { inviteMember, type Role } from '#contract/api/team.ts'
import { explain } from '../api/explain.ts'
import { useAction } from '../api/query.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { ROLE_OPTIONS } from './roles.ts'

export function InviteDialog({ teamId, onClose }: { teamId: string; onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('MEMBER')
  const invite = useAction(
    (_input: undefined, { client }) =>
      client.call(inviteMember, { params: { id: teamId }, body: { email, role } }),
    {
      changes: ['member'],
      done: `${email} has been added and notified by email.`,
      after: onClose,
      quiet: true,
    },
  )
  return (
    <FormDialog
      title="Add member"
      about="Add someone who has signed in to this installation before. They're notified by email."
      onClose={onClose}
      action="Add member"
      busy={invite.isPending}
      onSubmit={() => invite.mutate(undefined)}
    >
      <TextField
        label="Email"
        type="email"
        error={invite.error === null ? undefined : explain(invite.error)}
        value={email}
        onChange={setEmail}
        required
        maxLength={254}
        autoComplete="off"
      />
      <SelectField
        label="Role"
        hint={
          role === 'OWNER'
            ? 'Owners have full access and manage members.'
            : 'Members can deploy and manage projects and domains.'
        }
        value={role}
        onChange={setRole}
        options={ROLE_OPTIONS}
      />
    </FormDialog>
  )
}
