import { runPushAgain } from '#contract/api/git.ts'
import { defineCommand, required } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'run the push again',
  about: 'Deploys the commit of a push again, regardless of its result.',
  arguments: { id: required('id of the push, as `aloft git deliveries` shows it') },
  options: projectOption,
  examples: [['git run-again push_4kTbb1xPBoTqRCUtqdXUkFvG', 'deploy it again']],
  hints: { not_found: 'See the pushes of the project with `aloft git deliveries`.' },
  async run(cli, { id, project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const push = await api.call(runPushAgain, { params: { idOrName, id } })
    cli.out.show(push, () => `${push.id} is queued. Check the result with \`aloft git deliveries\`.`)
  },
})
