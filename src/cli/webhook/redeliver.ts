import { redeliver } from '#contract/api/webhook.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'send the event again',
  about: 'Sends the same event with the same id, so that the receiver can detect duplicates.',
  arguments: { id: required('id of the webhook'), delivery: required('id of the delivery') },
  examples: [
    ['webhooks redeliver hook_4kTbb1xPBoTqRCUtqdXUkFvG whd_9fKq2mXc7TzR1bVn5LdYp3Aw', 'send it once more'],
  ],
  hints: { not_found: 'List deliveries with `aloft webhooks deliveries <id>`.' },
  async run(cli, { id, delivery }) {
    const api = await accountApi(cli)
    const sent = await api.call(redeliver, { params: { id, deliveryId: delivery } })
    cli.out.show(sent, () => `${plainText(sent.type)} will be sent again.`)
  },
})
