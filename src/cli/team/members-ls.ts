import { listMembers } from '#contract/api/team.ts'
import { actingTeam } from '../account.ts'
import { defineCommand } from '../command.ts'
import { renderTable } from '../table.ts'

export const command = defineCommand({
  doing: 'list the members',
  team: true,
  examples: [['teams members ls --team acme', 'everybody in the team']],
  async run(cli) {
    const { out } = cli
    const api = cli.api()
    const team = await actingTeam(cli)
    const members = await api.call(listMembers, { params: { id: team.id } })
    out.show(members, () =>
      renderTable(
        ['USERNAME', 'E-MAIL', 'ROLE', 'ID'],
        members.map(({ username, email, role, uid }) => [username, email, role, uid]),
        out.colors,
      ),
    )
  },
})
