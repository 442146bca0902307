import { deleteWebhook, getWebhook } from '#contract/api/webhook.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'remove the webhook',
  about: 'Events not delivered yet are discarded.',
  arguments: { id: required('id of the webhook') },
  examples: [
    ['webhooks rm hook_4kTbb1xPBoTqRCUtqdXUkFvG', 'ask for confirmation, then remove'],
    ['webhooks rm hook_4kTbb1xPBoTqRCUtqdXUkFvG --yes', 'without confirmation'],
  ],
  hints: { not_found: 'See your webhooks with `aloft webhooks ls`.' },
  async run(cli, { id }) {
    const api = await accountApi(cli)
    const found = await api.call(getWebhook, { params: { id } })
    const url = plainText(found.url)
    await cli.prompt.confirm(`Remove the webhook to ${url}?`)
    await api.call(deleteWebhook, { params: { id: found.id } })
    cli.out.show(found, () => `Removed the webhook to ${url}.`)
  },
})
