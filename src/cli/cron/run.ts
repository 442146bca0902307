import { runCron } from '#contract/api/cron.ts'
import { defineCommand, required } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { cronHint } from './cron.ts'

export const command = defineCommand({
  doing: 'run the schedule',
  about: 'Also works on a paused schedule. See the result with `aloft crons runs`.',
  arguments: { id: required('id of the schedule') },
  options: projectOption,
  examples: [['crons run cron_4kTbb1xPBoTqRCUtqdXU', 'run it now']],
  hints: { not_found: cronHint },
  async run(cli, { id, project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const run = await api.call(runCron, { params: { idOrName, id } })
    if (!cli.out.json) cli.out.say('Run queued; it starts in a moment.')
    cli.out.show(run, () => run.id)
  },
})
