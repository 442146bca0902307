import { getProject } from '#contract/api/project.ts'
import { unpauseProject } from '#contract/api/project-production.ts'
import { defineCommand, optional } from '../command.ts'
import { plainText } from '../plain-text.ts'
import { chooseProject } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'let the project go on',
  about: 'Shows the newest production deployment that was made meanwhile.',
  team: true,
  arguments: { project: optional('project id or name; defaults to the linked project') },
  examples: [
    ['unpause', 'the linked project'],
    ['unpause shop', 'another one'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, given) {
    const { api, idOrName } = await chooseProject(cli, given.project)
    const { id, name } = await api.call(getProject, { params: { idOrName } })
    await api.call(unpauseProject, { params: { projectId: id } })
    cli.out.show({ id, name, paused: false }, () => `${plainText(name)} goes on.`)
  },
})
