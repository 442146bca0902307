import { deleteReleaseConfig } from '#contract/api/release.ts'
import { defineCommand } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { HINTS } from './release.ts'

export const command = defineCommand({
  doing: 'disable rolling releases',
  about: 'Aborts a release in progress: all visitors get the previous deployment.',
  options: projectOption,
  examples: [['releases off', 'new deployments go to all visitors immediately']],
  hints: HINTS,
  async run(cli, { project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const answer = await api.call(deleteReleaseConfig, { params: { idOrName } })
    cli.out.show(answer, () => 'New production deployments go to all visitors immediately.')
  },
})
