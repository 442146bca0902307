import { updateProject } from '#contract/api/project.ts'
import { folderApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'rename the project',
  about: 'URLs with the old name stay as they are.',
  arguments: { project: required('id or name'), name: required('its new name') },
  examples: [['projects rename shop store', 'rename shop to store']],
  hints: {
    conflict: 'Choose another name, or list your projects with `aloft projects ls`.',
    not_found: 'List your projects with `aloft projects ls`.',
  },
  async run(cli, { project, name }) {
    const api = await folderApi(cli)
    const renamed = await api.call(updateProject, { params: { idOrName: project }, body: { name } })
    cli.out.show(
      { id: renamed.id, name: renamed.name },
      () => `Renamed the project to ${plainText(renamed.name)}.`,
    )
  },
})
