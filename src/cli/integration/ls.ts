import { listConfigurations } from '#contract/api/installation.ts'
import { accountApi } from '../account.ts'
import { defineCommand } from '../command.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { projectsOf, stateOf } from './show-installation.ts'

export const command = defineCommand({
  doing: 'list the integrations',
  about:
    'Lists applications installed in the account. For applications that you registered, see `aloft apps ls`.',
  examples: [
    ['integrations ls', 'list the installed applications'],
    ['integrations ls --team acme --json', 'in a team, as JSON'],
  ],
  async run(cli) {
    const now = cli.now()
    const installed = await (await accountApi(cli)).call(listConfigurations)
    showList(cli, installed, {
      items: installed,
      head: ['ID', 'APPLICATION', 'PROJECTS', 'STATUS', 'INSTALLED'],
      row: (one) => [one.id, one.slug, projectsOf(one), stateOf(one), relativeTime(one.createdAt, now)],
      empty: 'No integrations yet. Install one from the website of the application.',
    })
  },
})
