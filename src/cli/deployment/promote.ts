import { promoteDeployment } from '#contract/api/project-production.ts'
import { defineCommand, required } from '../command.ts'
import { DEPLOYMENT, findDeployment, folderApi, SEE } from './folder-api.ts'
import { showMoved } from './show-moved.ts'

export const command = defineCommand({
  doing: 'promote the deployment',
  about: 'All production hosts of its project show it at once. New production deployments follow as before.',
  team: true,
  arguments: { deployment: required(DEPLOYMENT) },
  examples: [['promote dpl_7Y2h…', 'show a deployment that was tried out to everybody']],
  hints: SEE,
  async run(cli, given) {
    const { api } = await folderApi(cli)
    const deployment = await findDeployment(api, given.deployment)
    await api.call(promoteDeployment, {
      params: { projectId: deployment.projectId, deploymentId: deployment.id },
    })
    await showMoved(cli, api, deployment)
  },
})
