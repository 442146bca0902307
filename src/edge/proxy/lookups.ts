import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns'
import { sourceOf } from '#core/access/network-of.ts'
import type { LookUpAll } from '#core/outbound/guarded-lookup.ts'
import { createTurns } from '#core/turns.ts'

/** Whose request wants a name to be looked up. */
interface Asker {
  readonly ownerId: string
  readonly ip: string
  /** Aborted when nobody wants it any more. */
  readonly signal: AbortSignal
}

/** Of one account and visitor: further names wait. */
const AT_ONCE = 8
const MOST_WAITING = 256

/**
 * Looks names up for rewrites. The name servers of an account may take their time, and visitors may choose the names: so a name is
 * looked up once for all of an account who want it at the moment, and those who want many names wait for themselves alone.
 */
export function createLookups(resolve: LookUpAll): (asker: Asker) => LookUpAll {
  // The system has few threads to look names up by.
  const isSystem = resolve === lookup
  const turns = createTurns(isSystem ? 1 : AT_ONCE)
  const underWay = new Map<string, Promise<LookupAddress[]>>()

  async function begin(name: string, hostname: string, options: LookupAllOptions): Promise<LookupAddress[]> {
    const { promise, resolve: found, reject } = Promise.withResolvers<LookupAddress[]>()
    underWay.set(name, promise)
    resolve(hostname, options, (error, addresses) => (error ? reject(error) : found(addresses)))
    return promise.finally(() => underWay.delete(name))
  }

  function find({ ownerId, ip, signal }: Asker, hostname: string, options: LookupAllOptions) {
    const name = `${ownerId} ${options.family ?? 0} ${hostname}`
    const running = underWay.get(name)
    if (running !== undefined) return running
    const key = isSystem ? ownerId : `${ownerId} ${sourceOf(ip)}`
    if (turns.waiting(key) >= MOST_WAITING)
      return Promise.reject(new LookupError('too many lookups are in progress'))
    return turns.run(key, async () => {
      if (signal.aborted) throw new LookupError('nobody waits for it any more')
      return underWay.get(name) ?? begin(name, hostname, options)
    })
  }

  return (asker) => (hostname, options, callback) => {
    find(asker, hostname, options).then(
      (addresses) => process.nextTick(callback, null, addresses),
      (error: NodeJS.ErrnoException) => process.nextTick(callback, error, []),
    )
  }
}

class LookupError extends Error {
  readonly code = 'EAI_AGAIN'
}
