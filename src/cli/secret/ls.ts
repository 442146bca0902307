import { listSecrets } from '#contract/api/secret.ts'
import { accountApi } from '../account.ts'
import { defineCommand } from '../command.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'

export const command = defineCommand({
  doing: 'list the secrets',
  about: 'Values are never shown.',
  options: pageOptions,
  examples: [
    ['secrets ls', 'your secrets, newest first'],
    ['secrets ls --team acme --json', 'of a team, as JSON'],
  ],
  async run(cli, given) {
    const now = cli.now()
    const api = await accountApi(cli)
    const page = await api.call(listSecrets, { query: pageQuery(given) })
    showList(cli, page, {
      items: page.secrets,
      head: ['NAME', 'ID', 'CREATED'],
      row: ({ name, uid, created }) => [name, uid, relativeTime(Date.parse(created), now)],
      empty: 'No secrets yet. Create one: aloft secrets add <name>',
      more: ['secrets ls', page.pagination.next],
    })
  },
})
