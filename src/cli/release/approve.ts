import { approveReleaseStage } from '#contract/api/release.ts'
import { defineCommand } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { activeRelease, HINTS, showRelease } from './release.ts'

export const command = defineCommand({
  doing: 'advance to the next stage',
  about: 'Also works if the release is paused or the stage has not ended.',
  options: projectOption,
  examples: [['releases approve', 'of the linked project']],
  hints: HINTS,
  async run(cli, { project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const { release, canaryDeploymentId } = await activeRelease(api, idOrName)
    const nextStageIndex = (release.activeStage?.index ?? 0) + 1
    const body = { canaryDeploymentId, nextStageIndex }
    showRelease(cli, await api.call(approveReleaseStage, { params: { idOrName }, body }))
  },
})
