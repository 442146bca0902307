import { takeAuditTurn } from '#core/audit/audit-trail.ts'
import type { OwnedChange } from '#core/change/change.ts'
import type { Transact } from '#core/ports/transact.ts'
import { watchChanges } from '../change/watch-changes.ts'
import { createStores, type StoreParts, type Stores } from '../stores.ts'
import type { Db } from '../tables.ts'
import { NoSpaceLeft } from './dialect/errors.ts'
import { inTransaction } from './transaction.ts'

/** Who asked for a change is written with it. */
export function createTransact(db: Db, parts: StoreParts): Transact<Stores> {
  const { clock, onJobs, onChanges, site, makeRoom } = parts
  return async (work) => {
    const turn = takeAuditTurn()
    let written = false
    let enqueued = false
    let changed: OwnedChange[] = []
    const onEnqueue = () => {
      enqueued = true
    }
    const note = onChanges && ((changes: readonly OwnedChange[]) => void changed.push(...changes))
    const attempt = () =>
      inTransaction(db, async (tx) => {
        enqueued = false
        changed = []
        const changes = turn && watchChanges()
        const watched = changes ? tx.withPlugin(changes.plugin) : tx
        const stores = createStores(watched, { clock, onJobs: onEnqueue, onChanges: note, site })
        const done = await work(stores)
        written = changes?.seen ?? false
        if (turn && written) await stores.audit.add(turn.entry)
        return done
      })
    try {
      const result = await attempt().catch(async (error: unknown) => {
        if (!(error instanceof NoSpaceLeft) || !(await makeRoom?.())) throw error
        return attempt()
      })
      if (written) turn?.committed()
      if (enqueued) onJobs?.()
      if (changed.length > 0) onChanges?.(changed)
      return result
    } finally {
      turn?.ended()
    }
  }
}
