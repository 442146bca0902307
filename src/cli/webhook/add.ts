import { getProject } from '#contract/api/project.ts'
import { createWebhook } from '#contract/api/webhook.ts'
import { accountApi } from '../account.ts'
import { defineCommand, oneOrMore, required, values } from '../command.ts'

export const command = defineCommand({
  doing: 'create the webhook',
  about: 'Prints the signing secret, which is shown only once.',
  arguments: {
    url: required('where events are sent, https://…'),
    events: oneOrMore('events to send, such as deployment.ready'),
  },
  options: {
    project: values('id or name', 'only events of this project; can be repeated', (text) => text),
  },
  examples: [
    ['webhooks add https://example.com/hook deployment.ready deployment.error', 'of all projects'],
    [
      'webhooks add https://example.com/hook project.created --project shop --project blog',
      'of two projects',
    ],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { url, events, project }) {
    const { out } = cli
    const api = await accountApi(cli)
    const projectIds: string[] = []
    for (const idOrName of project) projectIds.push((await api.call(getProject, { params: { idOrName } })).id)
    const created = await api.call(createWebhook, {
      body: { url, events: [...events], ...(projectIds.length === 0 ? {} : { projectIds }) },
    })
    if (!out.json) out.say(`Created the webhook ${created.id}. Its secret is shown only once:`)
    out.show(created, () => created.secret)
  },
})
