import { takeAuditTurn } from '#core/audit/audit-trail.ts'
import type { Transact } from '#core/ports/transact.ts'
import { createStores, type StoreParts, type Stores } from './stores.ts'
import type { Db } from './tables.ts'
import { inTransaction } from './transaction.ts'
import { watchChanges } from './watch-changes.ts'

/** Who asked for a change is written with it. */
export function createTransact(db: Db, { clock, onJobs, site }: StoreParts): Transact<Stores> {
  return async (work) => {
    const turn = takeAuditTurn()
    let written = false
    let enqueued = false
    const onEnqueue = () => {
      enqueued = true
    }
    try {
      const result = await inTransaction(db, async (tx) => {
        enqueued = false
        const changes = turn && watchChanges()
        const watched = changes ? tx.withPlugin(changes.plugin) : tx
        const stores = createStores(watched, { clock, onJobs: onEnqueue, site })
        const done = await work(stores)
        written = changes?.seen ?? false
        if (turn && written) await stores.audit.add(turn.entry)
        return done
      })
      if (written) turn?.committed()
      if (enqueued) onJobs?.()
      return result
    } finally {
      turn?.ended()
    }
  }
}
