import { updateCron } from '#contract/api/cron.ts'
import { defineCommand, required } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { cronHint } from './cron.ts'

export const command = defineCommand({
  doing: 'pause the schedule',
  arguments: { id: required('id of the schedule') },
  options: projectOption,
  examples: [['crons pause cron_4kTbb1xPBoTqRCUtqdXU', 'pause a schedule']],
  hints: { not_found: cronHint },
  async run(cli, { id, project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const changed = await api.call(updateCron, { params: { idOrName, id }, body: { enabled: false } })
    cli.out.show(changed, () => `Paused the schedule of ${changed.path}.`)
  },
})
