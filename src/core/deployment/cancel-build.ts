import { AloftError, noSuch } from '#contract/errors.ts'
import { BUILD_KEY } from '../build/queue-build.ts'
import { deploymentEvent } from '../event/event-payloads.ts'
import type { User } from '../user/user.ts'
import type { Deployment } from './deployment.ts'
import { endFailed, type PublishStores } from './publish.ts'

/** The code of a build that somebody cancelled. */
const CANCELED = 'canceled'

/**
 * Ends a build that waits or runs, inside the caller's transaction. Whoever runs it is to be told after the commit; should
 * that be missed, it finds out with the next thing it writes.
 */
export async function cancelBuild(
  stores: PublishStores,
  deployment: Deployment,
  { user, now }: { readonly user: User; readonly now: number },
): Promise<Deployment> {
  if (deployment.incomplete)
    throw new AloftError('conflict', 'The build has not started: the deployment is still waiting for files.')
  const failure = { code: CANCELED, message: `Cancelled by ${user.username}.`, step: 'build' }
  const ended = await endFailed(stores, deployment, failure, now)
  if (!ended) {
    // Somebody else may have ended or deleted it since it was looked at.
    const present = await stores.deployments.find(deployment.id)
    if (!present) throw noSuch('deployment', deployment.id)
    throw new AloftError(
      'conflict',
      present.failure?.code === CANCELED
        ? 'The build was already cancelled.'
        : 'There is no build to cancel: the deployment is finished.',
    )
  }
  await stores.jobs.withdraw(`${BUILD_KEY}${deployment.id}`)
  await stores.events.emit(deploymentEvent('deployment.canceled', deployment, { userId: user.id, at: now }))
  return ended
}
