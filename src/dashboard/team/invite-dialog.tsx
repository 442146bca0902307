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
    { changes: ['member'], done: `${email} is told by mail.`, after: onClose, quiet: true },
  )
  return (
    <FormDialog
      title="Add a member"
      about="Whoever has signed in here once has an account and can be added. They are told by mail."
      onClose={onClose}
      action="Add them"
      busy={invite.isPending}
      onSubmit={() => invite.mutate(undefined)}
    >
      <TextField
        label="E-mail address"
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
            ? 'Owners do everything, and decide who belongs to the team.'
            : 'Members deploy, and change projects and domains.'
        }
        value={role}
        onChange={setRole}
        options={ROLE_OPTIONS}
      />
    </FormDialog>
  )
}
