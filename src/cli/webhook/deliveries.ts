import { listDeliveries } from '#contract/api/webhook.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'

export const command = defineCommand({
  doing: 'list the deliveries',
  about: 'Lists requests to a webhook in the last 30 days and their responses.',
  arguments: { id: required('id of the webhook') },
  options: pageOptions,
  examples: [
    ['webhooks deliveries hook_4kTbb1xPBoTqRCUtqdXUkFvG', 'newest first'],
    ['webhooks deliveries hook_4kTbb1xPBoTqRCUtqdXUkFvG --json', 'with every attempt'],
  ],
  hints: { not_found: 'See your webhooks with `aloft webhooks ls`.' },
  async run(cli, given) {
    const now = cli.now()
    const api = await accountApi(cli)
    const page = await api.call(listDeliveries, { params: { id: given.id }, query: pageQuery(given) })
    showList(cli, page, {
      items: page.deliveries,
      head: ['ID', 'EVENT', 'STATUS', 'ATTEMPTS', 'LAST ANSWER', 'CREATED'],
      row: ({ id, type, state, attempts, createdAt }) => {
        const last = attempts.at(-1)
        return [
          id,
          type,
          state,
          String(attempts.length),
          last === undefined ? '-' : (last.status?.toString() ?? last.answer.slice(0, 60)),
          relativeTime(createdAt, now),
        ]
      },
      empty: 'No deliveries yet.',
      more: [`webhooks deliveries ${given.id}`, page.pagination.next],
    })
  },
})
