import { deleteProject, getProject } from '#contract/api/project.ts'
import { folderApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'delete the project',
  about: 'Also deletes its deployments, aliases, domains and variables. This cannot be undone.',
  // Never the linked one by itself: what is deleted should be named.
  arguments: { project: required('id or name') },
  examples: [
    ['projects rm shop', 'ask for confirmation, then delete'],
    ['projects rm shop --yes', 'without confirmation'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { project }) {
    const api = await folderApi(cli)
    const { id, name } = await api.call(getProject, { params: { idOrName: project } })
    const shown = plainText(name)
    await cli.prompt.confirm(
      `Delete the project ${shown} and all its deployments? They stop serving immediately.`,
    )
    await api.call(deleteProject, { params: { idOrName: id } })
    cli.out.show({ id, name }, () => `Deleted the project ${shown}.`)
  },
})
