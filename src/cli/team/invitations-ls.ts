import { listInvitations } from '#contract/api/invitation.ts'
import { actingTeam } from '../account.ts'
import { defineCommand } from '../command.ts'
import { relativeTime } from '../relative-time.ts'
import { showList } from '../show-list.ts'

export const command = defineCommand({
  doing: 'list the invitations',
  about: 'Those that nobody has accepted yet. Only an OWNER may do this.',
  team: true,
  examples: [['teams invitations ls --team acme', 'who was invited']],
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
      empty: 'No open invitations. Invite somebody: aloft teams members add <email>',
    })
  },
})
