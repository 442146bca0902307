import { listTokens } from '#contract/api/token.ts'
import { defineCommand } from '../command.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { shortId } from './token-id.ts'

export const command = defineCommand({
  doing: 'list your tokens',
  teamless: true,
  about: 'Shows the beginning of each id, which is enough for `aloft tokens rm`. Values are never shown.',
  options: pageOptions,
  examples: [
    ['tokens ls', 'your tokens, newest first'],
    ['tokens ls --json', 'with full ids, as JSON'],
  ],
  async run(cli, given) {
    const now = cli.now()
    const page = await cli.api().call(listTokens, { query: pageQuery(given) })
    showList(cli, page, {
      items: page.tokens,
      head: ['ID', 'NAME', 'TYPE', 'CREATED', 'USED', 'EXPIRES'],
      row: (token) => [
        shortId(token.id),
        token.name,
        token.type,
        relativeTime(token.createdAt, now),
        relativeTime(token.activeAt, now),
        token.expiresAt === undefined ? 'never' : relativeTime(token.expiresAt, now),
      ],
      empty: 'No tokens yet. Create one: aloft tokens create <name>',
      more: ['tokens ls', page.pagination.next],
    })
  },
})
