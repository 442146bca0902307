import { listGitConnections } from '#contract/api/git-connection.ts'
import { accountApi } from '../../account.ts'
import { defineCommand } from '../../command.ts'
import { plainText } from '../../output/plain-text.ts'
import { relativeTime } from '../../output/relative-time.ts'
import { showList } from '../../output/show-list.ts'

export const command = defineCommand({
  doing: 'list the connected Git hosts',
  examples: [
    ['git hosts ls', 'the Git hosts of the account'],
    ['git hosts ls --team acme', 'Git hosts of a team'],
  ],
  async run(cli) {
    const now = cli.now()
    const page = await (await accountApi(cli)).call(listGitConnections)
    showList(cli, page, {
      items: page.connections,
      head: ['ID', 'HOST', 'KIND', 'ACCOUNT', 'STATUS', 'CONNECTED'],
      row: ({ id, url, kind, login, problem, createdAt }) => [
        id,
        plainText(new URL(url).host),
        kind,
        plainText(login),
        plainText(problem ?? 'ok'),
        relativeTime(createdAt, now),
      ],
      empty: 'No Git host is connected. Connect one: aloft git hosts add github',
    })
  },
})
