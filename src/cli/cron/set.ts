import { updateCron } from '#contract/api/cron.ts'
import { given as changes, defineCommand, required, value } from '../command.ts'
import { usageError } from '../exit.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { cronHint, cronOptions } from './cron.ts'

export const command = defineCommand({
  doing: 'change the schedule',
  about: 'For schedules from the configuration file, change the path, schedule and time zone there.',
  arguments: { id: required('id of the schedule') },
  options: {
    path: value('path', 'path to request'),
    schedule: value('schedule', 'cron schedule, such as "0 5 * * *"'),
    ...cronOptions,
    ...projectOption,
  },
  examples: [['crons set cron_4kTbb1xPBoTqRCUtqdXU --make-up on', 'run once after missed runs']],
  hints: { not_found: cronHint },
  async run(cli, { id, project, ...request }) {
    const body = changes(request)
    if (Object.keys(body).length === 0) throw usageError('Nothing to change.', 'Pass at least one option.')
    const { api, idOrName } = await chooseProject(cli, project)
    const changed = await api.call(updateCron, { params: { idOrName, id }, body })
    cli.out.show(changed, () => `Changed the schedule of ${changed.path}.`)
  },
})
