import { listTeams } from '#contract/api/team.ts'
import { defineCommand } from '../command.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'

export const command = defineCommand({
  doing: 'list your teams',
  teamless: true,
  options: pageOptions,
  examples: [
    ['teams ls', 'your teams, newest first'],
    ['teams ls --json', 'as JSON'],
  ],
  async run(cli, given) {
    const now = cli.now()
    const page = await cli.api().call(listTeams, { query: pageQuery(given) })
    // The endpoint answers one team only when it is asked for by slug.
    if (!('teams' in page)) throw new Error('The server returned an unexpected list of teams.')
    const { teams, pagination } = page
    showList(cli, page, {
      items: teams,
      head: ['SLUG', 'NAME', 'ID', 'CREATED'],
      row: ({ slug, name, id, created }) => [slug, name, id, relativeTime(Date.parse(created), now)],
      empty: 'No teams yet. Create one: aloft teams create <slug>',
      more: ['teams ls', pagination.next],
    })
  },
})
