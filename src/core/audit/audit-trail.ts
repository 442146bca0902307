import { AsyncLocalStorage } from 'node:async_hooks'
import type { AuditEntry } from './audit.ts'

interface Trail {
  readonly entry: AuditEntry
  state: 'open' | 'writing' | 'written'
}

/** The request that is being served, for those who write what it changes. */
const trails = new AsyncLocalStorage<Trail>()

/**
 * Does what a request asks for and remembers who asked for it: in the first transaction that it commits, so that
 * there is no change without its entry and no entry without a change, or, where there was none, afterwards. Work that
 * fails leaves no entry of its own.
 */
export async function audited<T>(
  entry: AuditEntry,
  work: () => T | Promise<T>,
  add?: (entry: AuditEntry) => Promise<void>,
): Promise<T> {
  const trail: Trail = { entry, state: 'open' }
  try {
    const result = await trails.run(trail, work)
    if (trail.state === 'open') await add?.(entry)
    return result
  } finally {
    // What goes on in the background is not the request any more.
    trail.state = 'written'
  }
}

/** A transaction that writes the entry of the request it is a part of, when it changes anything and no other does. */
interface AuditTurn {
  readonly entry: AuditEntry
  /** The entry is kept. */
  committed(): void
  /** It is over, and if it has kept no entry, another one may. */
  ended(): void
}

export function takeAuditTurn(): AuditTurn | undefined {
  const trail = trails.getStore()
  if (trail?.state !== 'open') return undefined
  trail.state = 'writing'
  const becomes = (state: Trail['state']) => () => {
    if (trail.state === 'writing') trail.state = state
  }
  return { entry: trail.entry, committed: becomes('written'), ended: becomes('open') }
}
