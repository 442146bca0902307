import { listApplications } from '#contract/api/application.ts'
import { accountApi } from '../account.ts'
import { defineCommand } from '../command.ts'
import { pageOptions, pageQuery, sayMore } from '../paging.ts'
import { relativeTime } from '../relative-time.ts'
import { renderTable } from '../table.ts'

export const command = defineCommand({
  doing: 'list the applications',
  team: true,
  options: pageOptions,
  examples: [
    ['apps ls', 'what you have registered, newest first'],
    ['apps ls --json', 'for a program to read'],
  ],
  async run(cli, given) {
    const { out } = cli
    const now = cli.now()
    const page = await (await accountApi(cli)).call(listApplications, { query: pageQuery(given) })
    if (page.applications.length === 0 && !out.json)
      out.say('No applications here. Register one: aloft apps create --help')
    out.show(page, () =>
      page.applications.length === 0
        ? ''
        : renderTable(
            ['ID', 'NAME', 'SLUG', 'CLIENT ID', 'SCOPES', 'CREATED'],
            page.applications.map(({ id, name, slug, clientId, scopes, createdAt }) => [
              id,
              name,
              slug,
              clientId,
              Object.entries(scopes)
                .map(([scope, permission]) => `${scope}:${permission}`)
                .join(' '),
              relativeTime(createdAt, now),
            ]),
            out.colors,
          ),
    )
    sayMore(out, 'apps ls', page.pagination.next)
  },
})
