import { listMembers } from '#contract/api/team.ts'
import { actingTeam } from '../../account.ts'
import { defineCommand } from '../../command.ts'
import { showList } from '../../output/show-list.ts'

export const command = defineCommand({
  doing: 'list the members',
  examples: [['teams members ls --team acme', 'all members of the team']],
  async run(cli) {
    const api = cli.api()
    const team = await actingTeam(cli)
    const members = await api.call(listMembers, { params: { id: team.id } })
    showList(cli, members, {
      items: members,
      head: ['USERNAME', 'EMAIL', 'ROLE', 'ID'],
      row: ({ username, email, role, uid }) => [username, email, role, uid],
      empty: 'No members.',
    })
  },
})
