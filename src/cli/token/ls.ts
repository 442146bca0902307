import { listTokens } from '#contract/api/token.ts'
import { defineCommand } from '../command.ts'
import { pageOptions, pageQuery, sayMore } from '../paging.ts'
import { relativeTime } from '../relative-time.ts'
import { renderTable } from '../table.ts'
import { shortId } from './token-id.ts'

export const command = defineCommand({
  doing: 'list your tokens',
  about: 'Shows the beginning of each id, which is enough for `aloft tokens rm`. Values are never shown.',
  options: pageOptions,
  examples: [
    ['tokens ls', 'your tokens, newest first'],
    ['tokens ls --json', 'with whole ids, for a program to read'],
  ],
  async run(cli, given) {
    const { out } = cli
    const now = cli.now()
    const page = await cli.api().call(listTokens, { query: pageQuery(given) })
    if (page.tokens.length === 0 && !out.json) out.say('No tokens here. Make one: aloft tokens create <name>')
    out.show(page, () =>
      page.tokens.length === 0
        ? ''
        : renderTable(
            ['ID', 'NAME', 'TYPE', 'CREATED', 'USED', 'EXPIRES'],
            page.tokens.map((token) => [
              shortId(token.id),
              token.name,
              token.type,
              relativeTime(token.createdAt, now),
              relativeTime(token.activeAt, now),
              token.expiresAt === undefined ? 'never' : relativeTime(token.expiresAt, now),
            ]),
            out.colors,
          ),
    )
    sayMore(out, 'tokens ls', page.pagination.next)
  },
})
