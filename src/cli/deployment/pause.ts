import { getProject } from '#contract/api/project.ts'
import { pauseProject } from '#contract/api/project-production.ts'
import { defineCommand, optional } from '../command.ts'
import { plainText } from '../plain-text.ts'
import { chooseProject } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'pause the project',
  about: 'Its production hosts answer 503 until `aloft unpause`.',
  team: true,
  arguments: { project: optional('project id or name; defaults to the linked project') },
  examples: [
    ['pause', 'ask for confirmation, then pause the linked project'],
    ['pause shop --yes', 'another one, without confirmation'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, given) {
    const { api, idOrName } = await chooseProject(cli, given.project)
    const { id, name } = await api.call(getProject, { params: { idOrName } })
    await cli.prompt.confirm(`Pause ${plainText(name)}? Its visitors get an error until it goes on.`)
    await api.call(pauseProject, { params: { projectId: id } })
    cli.out.show({ id, name, paused: true }, () => `${plainText(name)} is paused.`)
  },
})
