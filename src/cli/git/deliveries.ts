import { listPushes } from '#contract/api/git.ts'
import { defineCommand } from '../command.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { plainText } from '../output/plain-text.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'list the pushes',
  about: 'Lists pushes with their deployment, or the reason why there is none.',
  options: { ...projectOption, ...pageOptions },
  examples: [
    ['git deliveries', 'newest first'],
    ['git deliveries --project shop --json', 'as JSON'],
  ],
  async run(cli, given) {
    const now = cli.now()
    const { api, idOrName } = await chooseProject(cli, given.project)
    const page = await api.call(listPushes, { params: { idOrName }, query: pageQuery(given) })
    const again = ['git deliveries', given.project && `--project ${given.project}`]
    showList(cli, page, {
      items: page.pushes,
      head: ['ID', 'BRANCH', 'COMMIT', 'BY', 'STATUS', 'OUTCOME', 'CAME'],
      row: ({ id, branch, ref, after, source, state, reason, deploymentId, createdAt }) => [
        id,
        plainText(branch ?? ref),
        after?.slice(0, 7) ?? '-',
        source,
        state,
        plainText(reason?.message ?? deploymentId ?? '-'),
        relativeTime(createdAt, now),
      ],
      empty:
        'No pushes yet. Connect a repository with `aloft git connect <url>`, or push here as docs/git.md explains.',
      more: [again.filter(Boolean).join(' '), page.pagination.next],
    })
  },
})
