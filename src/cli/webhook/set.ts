import { getProject } from '#contract/api/project.ts'
import { updateWebhook } from '#contract/api/webhook.ts'
import { accountApi } from '../account.ts'
import { given as changes, defineCommand, flag, readSwitch, required, value, values } from '../command.ts'
import { usageError } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'

const some = <T>(list: readonly T[]): T[] | undefined => (list.length === 0 ? undefined : [...list])

export const command = defineCommand({
  doing: 'change the webhook',
  about:
    'Settings you do not pass stay unchanged. Use --enabled on to re-enable a webhook that was disabled after failed deliveries.',
  arguments: { id: required('id of the webhook') },
  options: {
    url: value('url', 'new URL'),
    event: values(
      'event',
      'event to send, replacing the current ones; can be repeated',
      (text: string) => text,
    ),
    project: values('id or name', 'only events of this project; can be repeated', (text: string) => text),
    allProjects: flag('events of all projects'),
    enabled: value('on or off', 'whether events are sent', readSwitch),
  },
  examples: [
    ['webhooks set hook_4kTbb1xPBoTqRCUt --enabled on', 're-enable it after failed deliveries'],
    [
      'webhooks set hook_4kTbb1xPBoTqRCUt --event deployment.ready --event deployment.error',
      'replace the events',
    ],
  ],
  hints: { not_found: 'See your webhooks with `aloft webhooks ls`.' },
  async run(cli, { id, url, event, project, allProjects, enabled }) {
    if (allProjects && project.length > 0)
      throw usageError('--project and --all-projects cannot be used together.')
    const api = await accountApi(cli)
    const ids: string[] = []
    for (const idOrName of project) ids.push((await api.call(getProject, { params: { idOrName } })).id)
    const body = changes({
      url,
      events: some(event),
      projectIds: allProjects ? null : some(ids),
      enabled,
    })
    if (Object.keys(body).length === 0) throw usageError('Nothing to change: pass at least one option.')
    const changed = await api.call(updateWebhook, { params: { id }, body })
    cli.out.show(changed, () => `Changed the webhook to ${plainText(changed.url)}.`)
  },
})
