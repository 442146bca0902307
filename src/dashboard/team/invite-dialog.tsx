import { useState } from 'react'
import { ApiError } from '#client/api-error.ts'
import { createInvitation } from '#contract/api/invitation.ts'
import { loginMethods } from '#contract/api/login.ts'
import { inviteMember, type Role } from '#contract/api/team.ts'
import { useAction } from '../api/query.ts'
import { SelectField, TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'
import { ROLE_OPTIONS } from './roles.ts'

export function InviteDialog({ teamId, onClose }: { teamId: string; onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('MEMBER')
  const invite = useAction(
    async (_input: undefined, { client }) => {
      const call = { params: { id: teamId }, body: { email, role } }
      try {
        await client.call(inviteMember, call)
        const { mail } = await client.call(loginMethods)
        return mail ? `${email} has been added and notified by email.` : `${email} has been added.`
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'user_not_found') throw error
        await client.call(createInvitation, call)
        const { mail } = await client.call(loginMethods)
        return mail
          ? `${email} has been invited by email.`
          : `${email} has been invited. This server has no mail server set up, so the link was printed in its terminal.`
      }
    },
    {
      changes: ['member'],
      done: (said) => said,
      after: onClose,
      quiet: true,
    },
  )
  return (
    <FormDialog
      title="Add member"
      about="People with an account join immediately and are notified by email. Anyone else gets an invitation by email."
      onClose={onClose}
      action="Add member"
      busy={invite.isPending}
      onSubmit={() => invite.mutate(undefined)}
    >
      <TextField
        label="Email"
        type="email"
        error={invite.problem}
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
