import { getProject } from '#contract/api/project.ts'
import { unpauseProject } from '#contract/api/project-production.ts'
import { defineCommand, optional } from '../../command.ts'
import { plainText } from '../../output/plain-text.ts'
import { chooseProject } from '../../project/choose-project.ts'

export const command = defineCommand({
  doing: 'resume the project',
  about: 'The latest production deployment goes live, including any created while paused.',
  arguments: { project: optional('project id or name; defaults to the linked project') },
  examples: [
    ['unpause', 'resume the linked project'],
    ['unpause shop', 'resume another project'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, given) {
    const { api, idOrName } = await chooseProject(cli, given.project)
    const { id, name } = await api.call(getProject, { params: { idOrName } })
    await api.call(unpauseProject, { params: { projectId: id } })
    cli.out.show({ id, name, paused: false }, () => `${plainText(name)} is resumed.`)
  },
})
