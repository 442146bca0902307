import { deleteReleaseConfig } from '#contract/api/release.ts'
import { defineCommand } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { HINTS } from './release.ts'

export const command = defineCommand({
  doing: 'turn releases off',
  about: 'Aborts a release in progress: all visitors get the previous deployment.',
  team: true,
  options: projectOption,
  examples: [['releases off', 'new deployments of the linked project reach everybody at once']],
  hints: HINTS,
  async run(cli, { project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const answer = await api.call(deleteReleaseConfig, { params: { idOrName } })
    cli.out.show(answer, () => 'New production deployments reach everybody at once.')
  },
})
