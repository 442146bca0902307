import type { Client } from '#client/client.ts'
import { listDeployments } from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { rollBackProject } from '#contract/api/project-production.ts'
import { defineCommand, optional } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { DEPLOYMENT, findDeployment, folderApi, SEE } from './folder-api.ts'
import { showMoved } from './show-moved.ts'

export const command = defineCommand({
  doing: 'roll back',
  about:
    'All production hosts show the earlier deployment at once, and go on doing so until `aloft promote`.',
  team: true,
  arguments: {
    deployment: optional(`${DEPLOYMENT}; when left out, the production before the one that is live`),
  },
  examples: [
    ['rollback', 'the linked project, by one production deployment'],
    ['rollback dpl_7Y2h…', 'to this one'],
  ],
  hints: SEE,
  async run(cli, given) {
    const { api, link } = await folderApi(cli)
    if (given.deployment === undefined && link === undefined)
      throw usageError(
        'Back to which deployment? This folder is not linked to a project.',
        'Name one by its id or address, or link the folder with `aloft link`.',
      )
    const named = given.deployment ?? (await findPrevious(api, link?.projectId ?? ''))
    const deployment = await findDeployment(api, named)
    await api.call(rollBackProject, {
      params: { projectId: deployment.projectId, deploymentId: deployment.id },
    })
    await showMoved(cli, api, deployment)
  },
})

/** The newest production deployment that is older than the one that is live. */
async function findPrevious(api: Client, projectId: string): Promise<string> {
  const { targets } = await api.call(getProject, { params: { idOrName: projectId } })
  const live = targets.production
  const { deployments } = await api.call(listDeployments, {
    query: {
      projectId,
      target: 'production',
      state: 'READY',
      limit: 2,
      ...(live === undefined ? {} : { until: live.createdAt }),
    },
  })
  const previous = deployments.find(({ uid }) => uid !== live?.id)
  if (live === undefined || previous === undefined)
    throw new CliError(
      EXIT.notFound,
      'There is no production deployment before the one that is live.',
      'See what there is with `aloft ls --target production`.',
    )
  return previous.uid
}
