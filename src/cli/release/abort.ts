import { abortRelease } from '#contract/api/release.ts'
import { defineCommand } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { activeRelease, HINTS, showRelease } from './release.ts'

export const command = defineCommand({
  doing: 'abort the release',
  about:
    'All visitors get the previous deployment again. The next production deployment starts a new release.',
  options: projectOption,
  examples: [['releases abort --yes', 'abort without confirmation']],
  hints: HINTS,
  async run(cli, { project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const { release, canaryDeploymentId } = await activeRelease(api, idOrName)
    const name = plainText(release.canaryDeployment?.url ?? canaryDeploymentId)
    await cli.prompt.confirm(`Abort the release of ${name}? All visitors get the previous deployment again.`)
    showRelease(cli, await api.call(abortRelease, { params: { idOrName }, body: { canaryDeploymentId } }))
  },
})
