import { listInvitations, revokeInvitation } from '#contract/api/invitation.ts'
import { useAction, useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { IconButton } from '../ui/control/button.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'

/** People who were invited by mail and have not accepted yet. */
export function OpenInvitations({ teamId }: { teamId: string }) {
  const { invitations } = useRead('member', listInvitations, { params: { id: teamId } })
  const revoke = useAction(
    (invitationId: string, { client }) =>
      client.call(revokeInvitation, { params: { id: teamId, invitationId } }),
    { changes: ['member'], done: 'Invitation revoked.' },
  )
  if (invitations.length === 0) return null
  return (
    <Card title="Open invitations" flush>
      <Table
        label="Open invitations"
        rows={invitations}
        rowKey={({ id }) => id}
        columns={[
          {
            title: 'Email',
            cell: ({ email, expiresAt }) => (
              <>
                <span className="break-all">{email}</span>
                <span className="block text-soft md:hidden">
                  expires <Time at={expiresAt} />
                </span>
              </>
            ),
          },
          { title: 'Role', cell: ({ role }) => <Badge>{role === 'OWNER' ? 'Owner' : 'Member'}</Badge> },
          { title: 'Invited', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Expires', wide: true, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
        ]}
        actions={({ id, email }) => (
          <IconButton
            icon="trash"
            label={`Revoke the invitation for ${email}`}
            onClick={() => revoke.mutate(id)}
          />
        )}
      />
    </Card>
  )
}
