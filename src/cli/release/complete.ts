import { completeRelease } from '#contract/api/release.ts'
import { defineCommand } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { activeRelease, HINTS, showRelease } from './release.ts'

export const command = defineCommand({
  doing: 'complete the release',
  about: 'All visitors get the new deployment immediately.',
  options: projectOption,
  examples: [['releases complete --yes', 'complete without confirmation']],
  hints: HINTS,
  async run(cli, { project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const { release, canaryDeploymentId } = await activeRelease(api, idOrName)
    const name = plainText(release.canaryDeployment?.url ?? canaryDeploymentId)
    await cli.prompt.confirm(`Complete the release? All visitors get ${name}.`)
    showRelease(cli, await api.call(completeRelease, { params: { idOrName }, body: { canaryDeploymentId } }))
  },
})
