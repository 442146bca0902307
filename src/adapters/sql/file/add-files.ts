import type { UploadedFile } from '#core/file/file-store.ts'
import { STORAGE_LOCK } from '#core/usage/content-room.ts'
import { quotaExceeded } from '#core/usage/quota-exceeded.ts'
import { createUsageStore } from '../account/usage-store.ts'
import { createLocks } from '../database/locks.ts'
import { createRepositorySizeStore } from '../git/repository-size-store.ts'
import type { Db } from '../tables.ts'
import { writeFiles } from './file-rows.ts'

export interface FileAdd {
  readonly ownerId: string
  readonly files: readonly UploadedFile[]
  readonly usedAt: number
  /** Bytes that the account may hold with them; null without a limit. */
  readonly most: number | null
}

/**
 * Inside the caller's transaction. An account is held to its limit here as well as before its files came, because every
 * process counts only what is on its way to itself: what is stored and counted never exceeds the limit.
 */
export async function addFiles(tx: Db, adds: readonly FileAdd[], areStored = true): Promise<void> {
  const grown = await writeFiles(
    tx,
    adds.flatMap(({ ownerId, files, usedAt }) => files.map((file) => ({ ...file, ownerId, usedAt }))),
    areStored,
  )
  const limited = adds.filter(({ ownerId, most }) => most !== null && (grown.get(ownerId) ?? 0) > 0)
  // In one order, so that of two who wait for each other one goes first.
  const byOwner = [...Map.groupBy(limited, ({ ownerId }) => ownerId)].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [ownerId, theirs] of byOwner) {
    // Where many write at the same time, whoever comes second sees what the first has committed.
    await createLocks(tx).take(STORAGE_LOCK, ownerId)
    const held = await heldBy(tx, ownerId)
    for (const { most, usedAt } of theirs)
      if (most !== null && held > most)
        throw quotaExceeded(
          { quota: 'contentBytes', limit: most, used: held - (grown.get(ownerId) ?? 0) },
          usedAt,
        )
  }
}

const heldBy = async (tx: Db, ownerId: string): Promise<number> =>
  (await createUsageStore(tx).used(ownerId, 'contentBytes', '')) +
  (await createRepositorySizeStore(tx).used(ownerId))
