import { listSessions } from '#contract/api/session.ts'
import { defineCommand } from '../command.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { browserOf } from './browser-of.ts'

export const command = defineCommand({
  doing: 'list the sessions',
  teamless: true,
  about: 'Lists the browsers you are signed in with. For API tokens, see `aloft tokens ls`.',
  examples: [
    ['sessions ls', 'list your sessions'],
    ['sessions ls --json', 'as JSON'],
  ],
  async run(cli) {
    const now = cli.now()
    const answer = await cli.api().call(listSessions)
    showList(cli, answer, {
      items: answer.sessions,
      head: ['ID', 'BROWSER', 'FROM', 'USED', 'SIGNED IN', 'EXPIRES'],
      row: ({ id, userAgent, ip, createdAt, activeAt, expiresAt }) => [
        id,
        browserOf(userAgent),
        ip || '-',
        relativeTime(activeAt, now),
        relativeTime(createdAt, now),
        relativeTime(expiresAt, now),
      ],
      empty: 'No browser sessions.',
    })
  },
})
