import { approvePush } from '#contract/api/git.ts'
import { defineCommand, required } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'approve the push',
  about:
    'Builds and deploys the commit of a pull request from a fork, without the variables of the project. Review the change first, because its code runs here. Later commits need approval again.',
  arguments: { id: required('id of the push, as `aloft git deliveries` shows it') },
  options: projectOption,
  examples: [['git approve push_4kTbb1xPBoTqRCUtqdXUkFvG', 'approve and deploy it']],
  hints: {
    not_found: 'See the pushes of the project with `aloft git deliveries`.',
  },
  async run(cli, { id, project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const push = await api.call(approvePush, { params: { idOrName, id } })
    cli.out.show(push, () => `${push.id} is queued. Check the result with \`aloft git deliveries\`.`)
  },
})
