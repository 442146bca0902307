import { updateCron } from '#contract/api/cron.ts'
import { given as changes, defineCommand, required, value } from '../command.ts'
import { usageError } from '../exit.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { cronHint, cronOptions } from './cron.ts'

export const command = defineCommand({
  doing: 'change the schedule',
  about:
    'Path, schedule and time zone of one that the production deployment names are changed in its configuration file.',
  team: true,
  arguments: { id: required('id of the schedule') },
  options: {
    path: value('path', 'what is requested'),
    schedule: value('schedule', 'when, as in "0 5 * * *"'),
    ...cronOptions,
    ...projectOption,
  },
  examples: [['crons set cron_4kTbb1xPBoTqRCUtqdXU --make-up on', 'make up for runs that were missed']],
  hints: { not_found: cronHint },
  async run(cli, { id, project, ...wish }) {
    const body = changes(wish)
    if (Object.keys(body).length === 0) throw usageError('Nothing is to be changed.', 'Name an option.')
    const { api, idOrName } = await chooseProject(cli, project)
    const changed = await api.call(updateCron, { params: { idOrName, id }, body })
    cli.out.show(changed, () => `Changed the schedule of ${changed.path}.`)
  },
})
