import type { RevalidatedTags, Revalidation } from '../site/revalidation.ts'

/** Which of the answers that are kept: of one deployment, one function, and those of the query that matter to it. */
export interface PrerenderKey {
  readonly deploymentId: string
  /** The function's path. */
  readonly path: string
  /** The allowed parameters in a fixed order; empty if there are none. */
  readonly query: string
}

/** An answer of a function that is given to all visitors. */
export interface PrerenderEntry {
  readonly status: number
  /** Names, in lower case, and values in turn. */
  readonly headers: readonly string[]
  readonly body: Buffer
  /** When its making began, in milliseconds. */
  readonly generatedAt: number
  /** Seconds for which it is fresh from then on; false: for good. */
  readonly expiration: number | false
}

/**
 * Keeps answers of functions, for all serving processes of a machine or of several.
 *
 * An entry is there as a whole or not at all. What was put may be gone at any time, since room is limited; whoever
 * asks makes it anew. The last put wins. What was noted to be revalidated stays until the deployment is forgotten.
 */
export interface PrerenderCache {
  get(key: PrerenderKey): Promise<PrerenderEntry | undefined>
  /** What is too large is not kept. */
  put(key: PrerenderKey, entry: PrerenderEntry): Promise<void>
  /**
   * Notes that what has these tags is not right any more. `tell` is called as soon as it is there for all: whoever begins
   * from then on knows of it, so everybody else has to hear of it at once. It is never lost once this resolves.
   */
  revalidate(deploymentId: string, revalidation: Revalidation, tell?: () => void): Promise<void>
  /** All that was noted of a deployment. */
  revalidations(deploymentId: string): Promise<RevalidatedTags>
  /** Lets go of all that a deployment has. */
  forget(deploymentId: string): Promise<void>
}

/** Notes several at once, and tells of all of them with the last. */
export async function revalidateAll(
  cache: Pick<PrerenderCache, 'revalidate'>,
  deploymentId: string,
  revalidations: readonly Revalidation[],
  tell: () => void,
): Promise<void> {
  for (const [n, revalidation] of revalidations.entries())
    await cache.revalidate(deploymentId, revalidation, n === revalidations.length - 1 ? tell : undefined)
}
