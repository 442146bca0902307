import { updateCron } from '#contract/api/cron.ts'
import { defineCommand, required } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { cronHint } from './cron.ts'

export const command = defineCommand({
  doing: 'resume the schedule',
  arguments: { id: required('id of the schedule') },
  options: projectOption,
  examples: [['crons resume cron_4kTbb1xPBoTqRCUtqdXU', 'resume a schedule']],
  hints: { not_found: cronHint },
  async run(cli, { id, project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const changed = await api.call(updateCron, { params: { idOrName, id }, body: { enabled: true } })
    cli.out.show(changed, () => `Resumed the schedule of ${changed.path}.`)
  },
})
