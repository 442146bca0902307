import { startRelease } from '#contract/api/release.ts'
import { folderApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { DEPLOYMENT, findDeployment, SEE } from '../deployment/find-deployment.ts'
import { showRelease } from './release.ts'

export const command = defineCommand({
  doing: 'start the release',
  about: 'Starts with the visitors of the first stage. Configure the stages with `aloft releases set`.',
  arguments: { deployment: required(DEPLOYMENT) },
  examples: [['releases start dpl_7Y2h…', 'release a tested deployment']],
  hints: SEE,
  async run(cli, given) {
    const api = await folderApi(cli)
    const { id: canaryDeploymentId, projectId: idOrName } = await findDeployment(api, given.deployment)
    showRelease(cli, await api.call(startRelease, { params: { idOrName }, body: { canaryDeploymentId } }))
  },
})
