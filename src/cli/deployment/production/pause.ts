import { getProject } from '#contract/api/project.ts'
import { pauseProject } from '#contract/api/project-production.ts'
import { defineCommand, optional } from '../../command.ts'
import { plainText } from '../../output/plain-text.ts'
import { chooseProject } from '../../project/choose-project.ts'

export const command = defineCommand({
  doing: 'pause the project',
  about: 'Its production domains return 503 until you run `aloft unpause`.',
  arguments: { project: optional('project id or name; defaults to the linked project') },
  examples: [
    ['pause', 'ask for confirmation, then pause the linked project'],
    ['pause shop --yes', 'pause another project, without confirmation'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, given) {
    const { api, idOrName } = await chooseProject(cli, given.project)
    const { id, name } = await api.call(getProject, { params: { idOrName } })
    await cli.prompt.confirm(`Pause ${plainText(name)}? Its visitors get an error until you resume it.`)
    await api.call(pauseProject, { params: { projectId: id } })
    cli.out.show({ id, name, paused: true }, () => `${plainText(name)} is paused.`)
  },
})
