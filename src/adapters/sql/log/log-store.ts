import type { LogStore } from '#core/log/log-store.ts'
import { firstSerialOf } from '#core/log/serial.ts'
import { inTransaction } from '../database/transaction.ts'
import { appendBatch } from './log-append.ts'
import { deleteBlocks, findInBlocks, pruneBlocks } from './log-blocks.ts'
import { rotateDays } from './log-days.ts'
import { deleteLines, findInLines } from './log-lines.ts'
import { readAfter, readEntries, readProjectEntries } from './log-read.ts'
import { logBytes, otherBytes, returnFreePages } from './log-size.ts'
import type { LogDb } from './log-tables.ts'

/** The most rows deleted in one statement. */
const STEP = 500

/** Deletes step by step, letting everybody else do something in between. */
async function deleteAll(step: () => Promise<number>): Promise<void> {
  while ((await step()) === STEP) await new Promise(setImmediate)
}

export function createLogStore(db: LogDb): LogStore {
  /** The oldest first: what has rows of its own was written before there were blocks. */
  async function deleteBefore(before: bigint, limit: number, blocks: typeof deleteBlocks): Promise<number> {
    const lines = await deleteLines(db, { before: String(before) }, limit)
    return lines === limit ? lines : lines + (await blocks(db, { before: String(before) }, limit - lines))
  }
  return {
    async append(batch) {
      if (batch.length > 0) await inTransaction(db, (tx) => appendBatch(tx, batch))
    },

    read: (deploymentId, query) => readEntries(db, deploymentId, query),

    readProject: (projectId, query) => readProjectEntries(db, projectId, query),

    after: (serial, limit) => readAfter(db, serial, limit),

    async serialBefore(newest, after) {
      const found = await findInBlocks(db, newest, after)
      return 'serial' in found ? found.serial : findInLines(db, found.missing, after)
    },

    rotate: (now, createdBefore) => rotateDays(db, now, createdBefore),

    prune: (createdBefore, limit) => deleteBefore(firstSerialOf(createdBefore), limit, pruneBlocks),

    bytes: () => logBytes(db),

    otherBytes: () => otherBytes(db),

    deleteOldest: (limit) => deleteBefore(firstSerialOf(Number.POSITIVE_INFINITY), limit, deleteBlocks),

    giveBack: () => returnFreePages(db),

    async deleteFor(deploymentIds) {
      for (const deploymentId of deploymentIds) {
        await deleteAll(() => deleteLines(db, { deploymentId }, STEP))
        await deleteAll(() => deleteBlocks(db, { deploymentId }, STEP))
      }
    },
  }
}
