import { createDeployHook, listDeployHooks } from '#contract/api/git.ts'
import { defineCommand, required } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'create the deploy hook',
  about: 'Prints a URL. A POST request to it deploys the branch, without a token.',
  arguments: { name: required('what it is for'), branch: required('branch to deploy') },
  options: projectOption,
  examples: [['hooks add cms main', 'deploy when a CMS publishes']],
  async run(cli, { name, branch, project }) {
    const { out } = cli
    const { api, idOrName } = await chooseProject(cli, project)
    await api.call(createDeployHook, { params: { idOrName }, body: { name, ref: branch } })
    const { deployHooks } = await api.call(listDeployHooks, { params: { idOrName } })
    const made = deployHooks.at(-1)
    if (!out.json) out.say('Created the deploy hook. Keep its URL secret:')
    out.show(made, () => made?.url ?? '')
  },
})
