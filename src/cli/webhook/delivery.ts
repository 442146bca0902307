import { showDuration } from '#contract/amounts.ts'
import { getDelivery } from '#contract/api/webhook.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { relativeTime } from '../output/relative-time.ts'
import { renderFacts, renderTable } from '../output/table.ts'

export const command = defineCommand({
  doing: 'show the delivery',
  about: 'Shows the request of an event and the response to each attempt.',
  arguments: { id: required('id of the webhook'), delivery: required('id of the delivery') },
  examples: [
    [
      'webhooks delivery hook_4kTbb1xPBoTqRCUt 3f0c6b1e-58d2-4c7a-9a41-2b7d0e6f9c15',
      'show requests and responses',
    ],
    ['webhooks delivery hook_4kTbb1xPBoTqRCUt 3f0c6b1e-58d2-4c7a-9a41-2b7d0e6f9c15 --json', 'as JSON'],
  ],
  hints: { not_found: 'List deliveries with `aloft webhooks deliveries <id>`.' },
  async run(cli, { id, delivery }) {
    const { out } = cli
    const now = cli.now()
    const api = await accountApi(cli)
    const sent = await api.call(getDelivery, { params: { id, deliveryId: delivery } })
    out.show(sent, () => {
      const facts = renderFacts(
        [
          ['id', sent.id],
          ['event', `${sent.type} (${sent.eventId})`],
          ['status', sent.state],
          ['created', relativeTime(sent.createdAt, now)],
          ['sent to', sent.request.url],
        ],
        out.colors,
      )
      const rows = sent.attempts.map(({ at, ms, status, answer }) => [
        relativeTime(at, now),
        showDuration(ms),
        status?.toString() ?? '-',
        answer.slice(0, 100),
      ])
      const attempts = renderTable(['ATTEMPT', 'TOOK', 'STATUS', 'ANSWER'], rows, out.colors, out.width)
      return [facts, plainText(sent.request.body), ...(rows.length === 0 ? [] : [attempts])].join('\n\n')
    })
  },
})
