import { updateConfiguration } from '#contract/api/installation.ts'
import { getProject } from '#contract/api/project.ts'
import { accountApi } from '../account.ts'
import { defineCommand, flag, required, zeroOrMore } from '../command.ts'
import { usageError } from '../exit.ts'
import { SEE, showInstallation } from './show-installation.ts'

export const command = defineCommand({
  doing: 'choose the projects',
  about: 'Replaces the list of projects that the application can access.',
  arguments: { id: required('id of the installation'), projects: zeroOrMore('ids or names of projects') },
  options: { all: flag('all projects, including future ones') },
  examples: [
    ['integrations projects icfg_3f9a1c0b7d2e shop blog', 'only these two projects'],
    ['integrations projects icfg_3f9a1c0b7d2e --all', 'all projects of the account'],
  ],
  hints: SEE,
  async run(cli, { id, projects, all }) {
    if (all === projects.length > 0) throw usageError('Pass projects, or --all.')
    const api = await accountApi(cli)
    const ids: string[] = []
    for (const idOrName of projects) ids.push((await api.call(getProject, { params: { idOrName } })).id)
    const body = all
      ? { projectSelection: 'all' as const }
      : { projectSelection: 'selected' as const, projects: ids }
    showInstallation(cli, await api.call(updateConfiguration, { params: { id }, body }))
  },
})
