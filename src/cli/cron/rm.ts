import { deleteCron } from '#contract/api/cron.ts'
import { defineCommand, required } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { cronHint } from './cron.ts'

export const command = defineCommand({
  doing: 'remove the schedule',
  about: 'To remove a schedule from the configuration file, deploy without it.',
  arguments: { id: required('id of the schedule') },
  options: projectOption,
  examples: [['crons rm cron_4kTbb1xPBoTqRCUtqdXU --yes', 'without confirmation']],
  hints: { not_found: cronHint },
  async run(cli, { id, project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    await cli.prompt.confirm(`Remove the schedule ${id} and its runs?`)
    await api.call(deleteCron, { params: { idOrName, id } })
    cli.out.show({ id }, () => `Removed the schedule ${id}.`)
  },
})
