import type { Bus } from '#core/ports/bus.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { type PrerenderCache, revalidateAll } from '#core/ports/prerender-cache.ts'
import { EVERYTHING, REVALIDATIONS_TOPIC, readRevalidations } from '#core/site/revalidation.ts'

interface Options {
  readonly prerenders: PrerenderCache
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

/** Of what a deployment says while the last of it is being kept. */
const MAX_WAITING = 16_384

/**
 * Takes what programs revalidate when their answers are out already. However much a program says, one thing at a time
 * is kept for its deployment.
 */
export function createRevalidate({ prerenders, bus, clock, log }: Options) {
  const waiting = new Map<string, string>()

  async function keep(deploymentId: string): Promise<void> {
    for (let said = waiting.get(deploymentId); said; said = waiting.get(deploymentId)) {
      waiting.set(deploymentId, '')
      try {
        await revalidateAll(prerenders, deploymentId, readRevalidations(said, clock.now()), () =>
          bus.publish(REVALIDATIONS_TOPIC, deploymentId),
        )
      } catch (err) {
        // What was said meanwhile is tried all the same.
        log.error({ err, deploymentId }, 'a revalidation by a function could not be stored')
      }
    }
    waiting.delete(deploymentId)
  }

  return (deploymentId: string, said: string): void => {
    const before = waiting.get(deploymentId)
    const all = before ? `${before},${said}` : said
    waiting.set(deploymentId, all.length > MAX_WAITING ? `tag=${EVERYTHING}` : all)
    if (before === undefined) void keep(deploymentId)
  }
}
