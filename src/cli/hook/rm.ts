import { deleteDeployHook } from '#contract/api/git.ts'
import { defineCommand, required } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'revoke the deploy hook',
  about: 'Its URL stops working.',
  arguments: { id: required('id of the hook, as `aloft hooks ls` shows it') },
  options: projectOption,
  examples: [['hooks rm 4kTbb1xPBoTqRCUtqdXU', 'ask for confirmation, then revoke']],
  hints: { not_found: 'See the hooks of the project with `aloft hooks ls`.' },
  async run(cli, { id, project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    await cli.prompt.confirm(`Revoke the deploy hook ${id}?`)
    await api.call(deleteDeployHook, { params: { idOrName, id } })
    cli.out.show({ id }, () => `Revoked the deploy hook ${id}.`)
  },
})
