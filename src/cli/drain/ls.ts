import { listDrains } from '#contract/api/drain.ts'
import { accountApi } from '../account.ts'
import { defineCommand } from '../command.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'

export const command = defineCommand({
  doing: 'list the log drains',
  examples: [
    ['drains ls', 'the log drains of the account'],
    ['drains ls --team acme --json', 'of a team, as JSON'],
  ],
  async run(cli) {
    const now = cli.now()
    const api = await accountApi(cli)
    const drains = await api.call(listDrains)
    showList(cli, drains, {
      items: drains,
      head: ['ID', 'NAME', 'URL', 'FORMAT', 'WHAT', 'STATUS', 'CREATED'],
      row: ({ id, name, url, deliveryFormat, sources = [], environments = [], status, createdAt }) => [
        id,
        name,
        url,
        deliveryFormat,
        [...sources, ...environments].join(', ') || 'all',
        status,
        relativeTime(createdAt, now),
      ],
      empty: 'No log drains yet. Create one: aloft drains add <url>',
    })
  },
})
