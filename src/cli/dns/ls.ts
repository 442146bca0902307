import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { allRecords } from './records.ts'

export const command = defineCommand({
  doing: 'list the DNS records',
  about: 'Records take effect once the domain is verified and delegated to our nameservers.',
  arguments: { domain: required('the domain') },
  examples: [
    ['dns ls example.com', 'all records, newest first'],
    ['dns ls example.com --json', 'as JSON'],
  ],
  hints: { not_found: 'List your domains with `aloft domains ls`.' },
  async run(cli, { domain }) {
    const now = cli.now()
    const records = await allRecords(await accountApi(cli), domain)
    showList(
      cli,
      { records },
      {
        items: records,
        head: ['ID', 'NAME', 'TYPE', 'VALUE', 'CREATED'],
        row: ({ id, name, type, value, creator, created }) => [
          id,
          name || '@',
          type,
          value,
          creator === 'system' ? 'by the platform' : relativeTime(Number(created), now),
        ],
        empty: 'No records yet. Add one: aloft dns add <domain> <name> <type> <value>',
      },
    )
  },
})
