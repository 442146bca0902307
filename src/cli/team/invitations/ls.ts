import { listInvitations } from '#contract/api/invitation.ts'
import { actingTeam } from '../../account.ts'
import { defineCommand } from '../../command.ts'
import { relativeTime } from '../../output/relative-time.ts'
import { showList } from '../../output/show-list.ts'

export const command = defineCommand({
  doing: 'list the invitations',
  about: 'Lists invitations that were not accepted yet. Only an OWNER can do this.',
  examples: [['teams invitations ls --team acme', 'list pending invitations']],
  async run(cli) {
    const team = await actingTeam(cli)
    const answer = await cli.api().call(listInvitations, { params: { id: team.id } })
    showList(cli, answer, {
      items: answer.invitations,
      head: ['EMAIL', 'ROLE', 'INVITED', 'EXPIRES', 'ID'],
      row: ({ email, role, createdAt, expiresAt, id }) => [
        email,
        role,
        relativeTime(createdAt, cli.now()),
        relativeTime(expiresAt, cli.now()),
        id,
      ],
      empty: 'No pending invitations. Invite someone: aloft teams members add <email>',
    })
  },
})
