import { completeRelease } from '#contract/api/release.ts'
import { defineCommand } from '../command.ts'
import { plainText } from '../plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { activeRelease, HINTS, showRelease } from './release.ts'

export const command = defineCommand({
  doing: 'complete the release',
  about: 'All visitors get the new deployment at once.',
  team: true,
  options: projectOption,
  examples: [['releases complete --yes', 'show the new deployment to everybody, without confirmation']],
  hints: HINTS,
  async run(cli, { project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const { release, canaryDeploymentId } = await activeRelease(api, idOrName)
    const name = plainText(release.canaryDeployment?.url ?? canaryDeploymentId)
    await cli.prompt.confirm(`Show ${name} to all visitors?`)
    showRelease(cli, await api.call(completeRelease, { params: { idOrName }, body: { canaryDeploymentId } }))
  },
})
