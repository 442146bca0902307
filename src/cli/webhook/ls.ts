import { getProject } from '#contract/api/project.ts'
import { listWebhooks } from '#contract/api/webhook.ts'
import { accountApi } from '../account.ts'
import { defineCommand, value } from '../command.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'

export const command = defineCommand({
  doing: 'list the webhooks',
  options: { project: value('id or name', 'only webhooks that get events of this project') },
  examples: [
    ['webhooks ls', 'the webhooks of the account'],
    ['webhooks ls --project shop --json', 'as JSON'],
  ],
  async run(cli, { project }) {
    const now = cli.now()
    const api = await accountApi(cli)
    const query =
      project === undefined
        ? {}
        : { projectId: (await api.call(getProject, { params: { idOrName: project } })).id }
    const webhooks = await api.call(listWebhooks, { query })
    showList(cli, webhooks, {
      items: webhooks,
      head: ['ID', 'URL', 'EVENTS', 'STATUS', 'CREATED'],
      row: ({ id, url, events, disabledAt, createdAt }) => [
        id,
        url,
        events.join(', '),
        disabledAt === undefined ? 'on' : 'disabled',
        relativeTime(createdAt, now),
      ],
      empty: 'No webhooks yet. Create one: aloft webhooks add <url> <events...>',
    })
  },
})
