import type { Client } from '#client/client.ts'
import { HISTORY, previousOf } from '#client/production-history.ts'
import { listDeployments } from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { rollBackProject } from '#contract/api/project-production.ts'
import { folderApi, linkedAccount } from '../../account.ts'
import { defineCommand, flag, optional } from '../../command.ts'
import { CliError, EXIT, usageError } from '../../exit.ts'
import { releaseUnderWay } from '../../release/release.ts'
import { DEPLOYMENT, type Deployment, findDeployment, SEE } from '../find-deployment.ts'
import { promoteAsked } from './promote-asked.ts'
import { showMoved } from './show-moved.ts'

export const command = defineCommand({
  doing: 'roll back',
  about:
    'Points all production domains to the earlier deployment at once. New production deployments don’t go live until you promote one, or undo the rollback with --undo.',
  arguments: {
    deployment: optional(
      `${DEPLOYMENT}; defaults to the previous production deployment, or to the live one while a release is in progress`,
    ),
  },
  options: { undo: flag('promote the newest production deployment, and let new ones go live again') },
  examples: [
    ['rollback', 'to the previous production deployment of the linked project'],
    ['rollback dpl_7Y2h…', 'to a specific deployment'],
    ['rollback --undo', 'back to the newest production deployment'],
  ],
  hints: SEE,
  async run(cli, given) {
    const { api, link } =
      given.deployment === undefined ? await linkedAccount(cli) : { api: await folderApi(cli) }
    if (given.deployment === undefined && link === undefined)
      throw usageError(
        'Which project? This folder is not linked to a project of this account.',
        'Pass a deployment id or URL, or link the folder with `aloft link`.',
      )
    if (given.undo) {
      if (given.deployment !== undefined)
        throw usageError(
          '--undo takes no deployment.',
          'To promote a deployment, use `aloft promote <deployment>`.',
        )
      return await promoteAsked(cli, api, await findNewest(api, link?.projectId ?? ''))
    }
    const named = given.deployment ?? (await findPrevious(api, link?.projectId ?? ''))
    const deployment = await findDeployment(api, named)
    await api.call(rollBackProject, {
      params: { projectId: deployment.projectId, deploymentId: deployment.id },
    })
    await showMoved(cli, api, deployment)
    if (!cli.out.json)
      cli.out.say(
        'New production deployments don’t go live until `aloft rollback --undo` or `aloft promote`.',
      )
  },
})

/** The newest production deployment, where a rollback keeps it from being live. */
async function findNewest(api: Client, projectId: string): Promise<Deployment> {
  const { lastRollbackTarget } = await api.call(getProject, { params: { idOrName: projectId } })
  const { deployments } = await api.call(listDeployments, {
    query: { projectId, target: 'production', state: 'READY', limit: 1 },
  })
  const [newest] = deployments
  if (lastRollbackTarget === null || newest === undefined)
    throw new CliError(EXIT.failure, 'There is no rollback to undo: new production deployments go live.')
  return findDeployment(api, newest.uid)
}

/** What production showed before the deployment that is live. */
async function findPrevious(api: Client, projectId: string): Promise<string> {
  const { targets } = await api.call(getProject, { params: { idOrName: projectId } })
  const live = targets.production
  // Then it is what everybody got before; the one that is on its way never was in production.
  if (live && (await releaseUnderWay(api, projectId))) return live.id
  const { deployments } = await api.call(listDeployments, {
    query: { projectId, state: 'READY', limit: HISTORY },
  })
  const previous = live && previousOf(live, deployments)
  if (previous === undefined)
    throw new CliError(
      EXIT.notFound,
      'There is no earlier production deployment.',
      'List deployments with `aloft ls`, and promote one with `aloft promote <deployment>`.',
    )
  return previous.uid
}
