import { listDomains } from '#contract/api/domain.ts'
import { accountApi } from '../account.ts'
import { defineCommand } from '../command.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'

export const command = defineCommand({
  doing: 'list the domains',
  options: pageOptions,
  examples: [
    ['domains ls', 'your domains, newest first'],
    ['domains ls --team acme --json', 'of a team, as JSON'],
  ],
  async run(cli, given) {
    const now = cli.now()
    const api = await accountApi(cli)
    const page = await api.call(listDomains, { query: pageQuery(given) })
    showList(cli, page, {
      items: page.domains,
      head: ['DOMAIN', 'VERIFIED', 'DNS', 'EXPIRES', 'CREATED'],
      row: ({ name, verified, serviceType, expiresAt, createdAt }) => [
        name,
        verified ? 'yes' : 'no',
        serviceType === 'external' ? 'elsewhere' : 'here',
        expiresAt === null ? '-' : relativeTime(expiresAt, now),
        relativeTime(createdAt, now),
      ],
      empty: 'No domains yet. Add one: aloft domains add <domain>',
      more: ['domains ls', page.pagination.next],
    })
  },
})
