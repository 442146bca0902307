import type { Deployment } from './deployment.ts'
import type { DeploymentStore } from './deployment-store.ts'

/**
 * When a deployment became what production shows; null where it never was. Earlier releases did not keep this: what was
 * ready for production then is taken to have been shown.
 */
export const liveSince = ({
  liveAt,
  readyAt,
  state,
  target,
}: Pick<Deployment, 'liveAt' | 'readyAt' | 'state' | 'target'>): number | null =>
  liveAt === undefined ? (target === 'production' && state === 'READY' ? readyAt : null) : liveAt

/** Notes that names of production lead to a deployment, inside the caller's transaction. The first time counts. */
export async function markLive(
  deployments: Pick<DeploymentStore, 'update'>,
  deployment: Deployment,
  now: number,
): Promise<void> {
  if (liveSince(deployment) === null) await deployments.update(deployment.id, { liveAt: now })
}
