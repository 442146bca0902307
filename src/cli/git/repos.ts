import { listGitConnections, listRepositories } from '#contract/api/git-connection.ts'
import { accountApi } from '../account.ts'
import { defineCommand, optional, value } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { findConnection } from './hosts/find-connection.ts'

const readPage = (text: string): number => {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new TypeError(`"${text}" should be a page number`)
  return Number(text)
}

export const command = defineCommand({
  doing: 'list the repositories',
  about: 'Lists the repositories of a connected Git host, most recently changed first.',
  arguments: { search: optional('text in the name') },
  options: {
    via: value('id or host', 'which connected Git host, if there are several'),
    page: value('number', 'page to show', readPage),
  },
  examples: [
    ['git repos', 'most recently changed first'],
    ['git repos shop --via gitlab.com', 'repositories of one host with shop in the name'],
  ],
  hints: { not_found: 'See the connected hosts with `aloft git hosts ls`.' },
  async run(cli, { search, via, page }) {
    const now = cli.now()
    const api = await accountApi(cli)
    const { id } = findConnection((await api.call(listGitConnections)).connections, via)
    const found = await api.call(listRepositories, {
      params: { id },
      query: { ...(search === undefined ? {} : { search }), ...(page === undefined ? {} : { page }) },
    })
    showList(cli, found, {
      items: found.repositories,
      head: ['NAME', 'VISIBILITY', 'BRANCH', 'CHANGED'],
      row: ({ name, private: isPrivate, defaultBranch, updatedAt }) => [
        plainText(name),
        isPrivate ? 'private' : 'public',
        plainText(defaultBranch ?? '-'),
        updatedAt === null ? '-' : relativeTime(updatedAt, now),
      ],
      empty:
        search === undefined
          ? 'No repositories found on this host.'
          : `No repository has ${plainText(search)} in its name.`,
    })
    if (found.next !== null && !cli.out.json) cli.out.say(`There are more: add --page ${found.next}.`)
  },
})
