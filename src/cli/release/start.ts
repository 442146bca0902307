import { startRelease } from '#contract/api/release.ts'
import { defineCommand, required } from '../command.ts'
import { DEPLOYMENT, findDeployment, folderApi, SEE } from '../deployment/folder-api.ts'
import { showRelease } from './release.ts'

export const command = defineCommand({
  doing: 'start the release',
  about:
    'Shows the deployment to the first share of the visitors. Its project has stages: `aloft releases set`.',
  team: true,
  arguments: { deployment: required(DEPLOYMENT) },
  examples: [['releases start dpl_7Y2h…', 'of a deployment that was tried out']],
  hints: SEE,
  async run(cli, given) {
    const { api } = await folderApi(cli)
    const { id: canaryDeploymentId, projectId: idOrName } = await findDeployment(api, given.deployment)
    showRelease(cli, await api.call(startRelease, { params: { idOrName }, body: { canaryDeploymentId } }))
  },
})
