import { useState } from 'react'
import { changeRole, listMembers, type Role, removeMember } from '#contract/api/team.ts'
import { sentence } from '#contract/words/wording.ts'
import { useAccount, useAccounts } from '../api/account.tsx'
import { useAction, useRead } from '../api/query.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/control/button.tsx'
import { SelectField } from '../ui/control/field.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { OfTeam } from './of-team.tsx'
import { OpenInvitations } from './open-invitations.tsx'
import { ROLE_OPTIONS } from './roles.ts'

export const MembersPage = () => (
  <OfTeam>
    <Members />
  </OfTeam>
)

function Members() {
  const { id, name } = useAccount()
  const { user } = useAccounts()
  const members = useRead('member', listMembers, { params: { id } })
  const [inviting, setInviting] = useState(false)
  const [leaving, setLeaving] = useState<(typeof members)[number]>()
  const mine = members.find(({ uid }) => uid === user.id)?.role
  const isOwner = mine === 'OWNER'

  const change = useAction(
    ({ userId, role }: { userId: string; role: Role }, { client }) =>
      client.call(changeRole, { params: { id, userId }, body: { role } }),
    { changes: ['member'], done: 'Role changed.' },
  )
  const remove = useAction(
    (userId: string, { client }) => client.call(removeMember, { params: { id, userId } }),
    {
      changes: ['member'],
      done: 'Member removed.',
      after: () => setLeaving(undefined),
    },
  )

  return (
    <Page
      title="Members"
      about={`${sentence(`People in ${name}`)} Owners manage members; members deploy and manage projects.`}
      actions={
        isOwner && (
          <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
            Add member
          </Button>
        )
      }
    >
      <Card flush>
        <Table
          label={`Members of ${name}`}
          rows={members}
          rowKey={({ uid }) => uid}
          columns={[
            {
              title: 'Member',
              cell: ({ uid, username, email }) => (
                <span className="flex min-w-0 items-center gap-3">
                  <span className="max-sm:hidden">
                    <Avatar name={username} />
                  </span>
                  <span className="min-w-0">
                    <span className="block truncate font-medium">
                      {username} {uid === user.id && <Badge tone="accent">You</Badge>}
                    </span>
                    <span className="block truncate text-soft">{email}</span>
                  </span>
                </span>
              ),
            },
            {
              title: 'Role',
              cell: ({ uid, username, role }) =>
                isOwner && uid !== user.id ? (
                  <SelectField
                    label={`Role of ${username}`}
                    hideLabel
                    value={role}
                    options={ROLE_OPTIONS}
                    disabled={change.isPending}
                    onChange={(next) => change.mutate({ userId: uid, role: next })}
                  />
                ) : (
                  <Badge>{role === 'OWNER' ? 'Owner' : 'Member'}</Badge>
                ),
            },
          ]}
          actions={(member) =>
            isOwner &&
            member.role !== 'OWNER' && (
              <IconButton
                icon="trash"
                label={`Remove ${member.username}`}
                onClick={() => setLeaving(member)}
              />
            )
          }
        />
      </Card>
      {isOwner && <OpenInvitations teamId={id} />}
      {!isOwner && <p className="text-sm text-soft">Only team owners can add and remove members.</p>}
      {inviting && <InviteDialog teamId={id} onClose={() => setInviting(false)} />}
      {leaving && (
        <Confirm
          title={`Remove ${leaving.username} from ${name}?`}
          action="Remove member"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(leaving.uid)}
          onClose={() => setLeaving(undefined)}
        >
          <p>They lose access to the team immediately. Their deployments stay.</p>
        </Confirm>
      )}
    </Page>
  )
}
