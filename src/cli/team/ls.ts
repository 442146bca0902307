import { listTeams } from '#contract/api/team.ts'
import { defineCommand } from '../command.ts'
import { pageOptions, pageQuery, sayMore } from '../paging.ts'
import { relativeTime } from '../relative-time.ts'
import { renderTable } from '../table.ts'

export const command = defineCommand({
  doing: 'list your teams',
  options: pageOptions,
  examples: [
    ['teams ls', 'your teams, newest first'],
    ['teams ls --json', 'for a program to read'],
  ],
  async run(cli, given) {
    const { out } = cli
    const now = cli.now()
    const page = await cli.api().call(listTeams, { query: pageQuery(given) })
    // The endpoint answers one team only when it is asked for by slug.
    if (!('teams' in page)) throw new Error('The list of teams has an unknown form.')
    const { teams, pagination } = page
    if (teams.length === 0 && !out.json) out.say('No teams here. Make one: aloft teams create <slug>')
    out.show(page, () =>
      teams.length === 0
        ? ''
        : renderTable(
            ['SLUG', 'NAME', 'ID', 'CREATED'],
            teams.map(({ slug, name, id, created }) => [
              slug,
              name,
              id,
              relativeTime(Date.parse(created), now),
            ]),
            out.colors,
          ),
    )
    sayMore(out, 'teams ls', pagination.next)
  },
})
