import { listApplications } from '#contract/api/application.ts'
import { accountApi } from '../account.ts'
import { defineCommand } from '../command.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'

export const command = defineCommand({
  doing: 'list the applications',
  options: pageOptions,
  examples: [
    ['apps ls', 'your applications, newest first'],
    ['apps ls --json', 'as JSON'],
  ],
  async run(cli, given) {
    const now = cli.now()
    const page = await (await accountApi(cli)).call(listApplications, { query: pageQuery(given) })
    showList(cli, page, {
      items: page.applications,
      head: ['ID', 'NAME', 'SLUG', 'CLIENT ID', 'SCOPES', 'CREATED'],
      row: ({ id, name, slug, clientId, scopes, createdAt }) => [
        id,
        name,
        slug,
        clientId,
        Object.entries(scopes)
          .map(([scope, permission]) => `${scope}:${permission}`)
          .join(' '),
        relativeTime(createdAt, now),
      ],
      empty: 'No applications yet. Register one: aloft apps create --help',
      more: ['apps ls', page.pagination.next],
    })
  },
})
