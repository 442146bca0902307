import type { Transact } from '#core/ports/transact.ts'
import { createStores, type StoreParts, type Stores } from './stores.ts'
import type { Db } from './tables.ts'
import { inTransaction } from './transaction.ts'

export function createTransact(db: Db, { clock, onJobs, site }: StoreParts): Transact<Stores> {
  return async (work) => {
    let enqueued = false
    const onEnqueue = () => {
      enqueued = true
    }
    const result = await inTransaction(db, (tx) => {
      enqueued = false
      return work(createStores(tx, { clock, onJobs: onEnqueue, site }))
    })
    if (enqueued) onJobs?.()
    return result
  }
}
