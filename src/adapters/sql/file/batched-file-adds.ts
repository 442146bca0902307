import type { FileStore } from '#core/file/file-store.ts'
import { isUnavailable } from '#core/ports/is-unavailable.ts'
import { inTransaction } from '../database/transaction.ts'
import type { Db } from '../tables.ts'
import { addFiles, type FileAdd } from './add-files.ts'

interface WaitingFile extends FileAdd {
  readonly settle: PromiseWithResolvers<void>
}

/** How many files are written together at most. */
const BATCH = 500

/**
 * Adds that share their commits: making one durable takes a disk far longer than writing it. What is added
 * while a commit is under way, or in the same turn of the event loop, goes into the next one, all together.
 * Nobody waits for others to come, and nobody is answered before the commit that holds their files.
 */
export function createBatchedFileAdds(db: Db): FileStore['add'] {
  const queue: WaitingFile[] = []
  let running = false

  const write = (adds: readonly FileAdd[]) => inTransaction(db, (tx) => addFiles(tx, adds))

  function take(): WaitingFile[] {
    let count = 0
    const end = queue.findIndex(({ files }, i) => {
      count += files.length
      return i > 0 && count > BATCH
    })
    return queue.splice(0, end === -1 ? queue.length : end)
  }

  async function writeOne(waiting: WaitingFile): Promise<void> {
    await write([waiting]).then(waiting.settle.resolve, waiting.settle.reject)
  }

  async function writeBatch(batch: readonly WaitingFile[]): Promise<void> {
    try {
      await write(batch)
      for (const { settle } of batch) settle.resolve()
    } catch (error) {
      if (isUnavailable(error)) for (const { settle } of batch) settle.reject(error)
      // One of them cannot be written, and the others have nothing to do with it.
      else for (const waiting of batch) await writeOne(waiting)
    }
  }

  async function run(): Promise<void> {
    running = true
    while (queue.length > 0) {
      // Who was just answered may have more to add.
      await new Promise(setImmediate)
      const batch = take()
      const [first] = batch
      await (first && batch.length === 1 ? writeOne(first) : writeBatch(batch))
    }
    running = false
  }

  return (ownerId, files, usedAt, most = null) => {
    if (files.length === 0) return Promise.resolve()
    const settle = Promise.withResolvers<void>()
    queue.push({ ownerId, files, usedAt, most, settle })
    if (!running) void run()
    return settle.promise
  }
}
