import { deleteCron } from '#contract/api/cron.ts'
import { defineCommand, required } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { cronHint } from './cron.ts'

export const command = defineCommand({
  doing: 'remove the schedule',
  about: 'One that the production deployment names is removed by deploying without it.',
  team: true,
  arguments: { id: required('id of the schedule') },
  options: projectOption,
  examples: [['crons rm cron_4kTbb1xPBoTqRCUtqdXU --yes', 'without asking']],
  hints: { not_found: cronHint },
  async run(cli, { id, project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    await cli.prompt.confirm(`Remove the schedule ${id} with its runs?`)
    await api.call(deleteCron, { params: { idOrName, id } })
    cli.out.show({ id }, () => `Removed the schedule ${id}.`)
  },
})
