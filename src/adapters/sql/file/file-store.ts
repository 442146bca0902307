import { sql } from 'kysely'
import { HOUR } from '#contract/time.ts'
import type { FileStore, UploadedFile } from '#core/file/file-store.ts'
import { inSlices } from '#core/slices.ts'
import { countUsage } from '../account/usage-store.ts'
import { locksRows } from '../database/dialect/capabilities.ts'
import { inSteps } from '../database/in-steps.ts'
import { textsOf } from '../database/json-rows.ts'
import { prepare } from '../database/prepare.ts'
import { areOf, textsIn } from '../database/text-list.ts'
import { atomically } from '../database/transaction.ts'
import type { Db } from '../tables.ts'
import { addFiles } from './add-files.ts'
import { createBatchedFileAdds } from './batched-file-adds.ts'
import { FoundFiles, RecentFiles } from './recent-files.ts'

/**
 * A file that was used within this time is left as it is: no collector forgets it for as long again, which is
 * much longer than any transaction takes, so it needs no lock either.
 */
const FRESH = 12 * HOUR

/** Few enough for a statement of some milliseconds, when they are read and when they are written. */
const READ_STEP = 2000
const WRITE_STEP = 500

/** Where more than so many are asked for, what is found is remembered. */
const MANY = 1000

/** Hardly ever any. */
const damaged = (db: Db) => db.selectFrom('damaged_contents').select('damaged_contents.sha256')

const selectDamaged = prepare<Record<string, never>>()((db) => damaged(db).limit(1))
const hasDamaged = async (db: Db): Promise<boolean> => (await selectDamaged(db, {})).length > 0

const deleteDamaged = prepare<{ sha256s: string }>()((db, { sha256s }) =>
  db.deleteFrom('damaged_contents').where('sha256', 'in', textsIn(db, sha256s)),
)

/** A join in this order looks each hash up at once, and its place need not be read back as text. */
const selectFiles = prepare<{ ownerId: string; sha1s: string }>()((db, { ownerId, sha1s }) =>
  db
    .selectFrom(textsOf(db, ownerId, sha1s))
    .crossJoin('files')
    .select(['given.key', 'files.sha256', 'files.size', 'files.used_at'])
    .whereRef('files.owner_id', '=', 'given.owner_id')
    .whereRef('files.sha1', '=', 'given.value')
    .where('files.sha256', 'not in', damaged(db)),
)

/** The account's with these hashes; where rows are locked one by one, all who want several lock them in the same order. */
const locked = (db: Db, ownerId: string, sha1s: string) =>
  locksRows(db)
    ? sql<boolean>`(owner_id, sha1) in (
        select owner_id, sha1 from files where ${areOf(db, ownerId, 'sha1', sha1s)} order by sha1 for update
      )`
    : areOf(db, ownerId, 'sha1', sha1s)

/** The latest use stays. */
const refreshed = (db: Db, { ownerId, sha1s, usedAt }: { ownerId: string; sha1s: string; usedAt: number }) =>
  db
    .updateTable('files')
    .set((eb) => ({
      used_at: eb.case().when('used_at', '<', usedAt).then(usedAt).else(eb.ref('used_at')).end(),
    }))
    .where(locked(db, ownerId, sha1s))

/**
 * Answers the rows as they are once nobody else is changing them: whichever of this and `deleteStale` comes
 * first has the row's lock, and the other sees what it did. So what is answered here is there for good.
 */
const refreshFiles = prepare<{ ownerId: string; sha1s: string; usedAt: number }>()((db, given) =>
  refreshed(db, given).where('sha256', 'not in', damaged(db)).returning(['sha1', 'sha256', 'size']),
)
const keepFiles = prepare<{ ownerId: string; sha1s: string; usedAt: number }>()(refreshed)
const deleteStale = prepare<{ ownerId: string; sha1s: string; before: number }>()(
  (db, { ownerId, sha1s, before }) =>
    db
      .deleteFrom('files')
      .where(locked(db, ownerId, sha1s))
      .where('used_at', '<', before)
      .returning(['sha256', 'size']),
)
const selectStale = prepare<{ before: number; limit: number }>()((db, { before, limit }) =>
  db
    .selectFrom('files')
    .select(['owner_id', 'sha1'])
    .where('used_at', '<', before)
    .orderBy('used_at')
    .limit(limit),
)
const selectKnown = prepare<{ sha256s: string }>()((db, { sha256s }) =>
  db.selectFrom('files').select('sha256').where('sha256', 'in', textsIn(db, sha256s)).groupBy('sha256'),
)

/** No account's, but still needed. */
const selectShared = prepare<{ sha256s: string }>()((db, { sha256s }) =>
  db
    .selectFrom('shared_contents')
    .select('sha256')
    .where('sha256', 'in', textsIn(db, sha256s))
    .groupBy('sha256'),
)

export function createFileStore(db: Db): FileStore {
  /**
   * Nobody can forget a file for hours after it was used, so what was found then is still there. What a transaction finds
   * may be undone with it.
   */
  const recent = db.isTransaction ? undefined : new RecentFiles()

  /** Calls with each of the files that the account has, once nobody can forget it any more. */
  async function lookUp(
    ownerId: string,
    sha1s: readonly string[],
    usedAt: number,
    onFound: (file: UploadedFile, usedAt: number) => void,
  ): Promise<void> {
    const stale: string[] = []
    await inSteps(sha1s, READ_STEP, async (step) => {
      const rows = await selectFiles(db, { ownerId, sha1s: JSON.stringify(step) })
      for (const { key, sha256, size, used_at } of rows) {
        const sha1 = step[key] ?? ''
        if (used_at < usedAt - FRESH) stale.push(sha1)
        else onFound({ sha1, sha256, size }, used_at)
      }
    })
    // All of them in one order, as other writers do it.
    await inSteps(stale.sort(), WRITE_STEP, async (step) => {
      const rows = await refreshFiles(db, { ownerId, sha1s: JSON.stringify(step), usedAt })
      for (const file of rows) onFound(file, usedAt)
    })
  }

  const claimEach: FileStore['claimEach'] = async (ownerId, sha1s, usedAt) => {
    const isMany = recent !== undefined && sha1s.length > MANY
    const remembered = isMany && !(await hasDamaged(db)) ? recent.of(ownerId, usedAt - FRESH) : undefined
    remembered?.rewind()
    const files: (UploadedFile | undefined)[] = []
    const unknown: number[] = []
    await inSlices(sha1s, (sha1) => {
      const file = remembered?.find(sha1)
      if (file === undefined) unknown.push(files.length)
      files.push(file)
    })
    if (unknown.length === 0) return files
    const found = new Map<string, UploadedFile>()
    let oldest = usedAt
    const wanted = unknown.map((place) => sha1s[place] as string)
    // In the order of the index, neighbours are on one page.
    await lookUp(ownerId, isMany ? wanted.sort() : wanted, usedAt, (file, at) => {
      found.set(file.sha1, file)
      oldest = Math.min(oldest, at)
    })
    const all = remembered ?? new FoundFiles(usedAt)
    await inSlices(unknown, (place) => {
      const file = found.get(sha1s[place] as string)
      if (file === undefined) return
      files[place] = file
      all.add(file, oldest)
    })
    if (isMany) recent.remember(ownerId, all)
    return files
  }

  async function known(sha256s: readonly string[], within = db): Promise<ReadonlySet<string>> {
    const asked = { sha256s: JSON.stringify(sha256s) }
    const rows = [...(await selectKnown(within, asked)), ...(await selectShared(within, asked))]
    return new Set(rows.map(({ sha256 }) => sha256))
  }

  return {
    add: db.isTransaction
      ? (ownerId, files, usedAt, most = null) => addFiles(db, [{ ownerId, files, usedAt, most }])
      : createBatchedFileAdds(db),

    share: (ownerId, files, usedAt, most = null) =>
      atomically(db, (tx) => addFiles(tx, [{ ownerId, files, usedAt, most }], false)),

    async claim(ownerId, sha1s, usedAt) {
      const found = new Map<string, UploadedFile>()
      for (const file of await claimEach(ownerId, sha1s, usedAt)) if (file) found.set(file.sha1, file)
      return found
    },

    claimEach,

    async stale(before, limit) {
      const rows = await selectStale(db, { before, limit })
      return rows.map(({ owner_id, sha1 }) => ({ ownerId: owner_id, sha1 }))
    },

    async keep(ownerId, sha1s, usedAt) {
      await inSteps(sha1s.toSorted(), WRITE_STEP, async (step) => {
        await keepFiles(db, { ownerId, sha1s: JSON.stringify(step), usedAt })
      })
    },

    forget: (ownerId, sha1s, before) =>
      atomically(db, async (tx) => {
        const deleted = await deleteStale(tx, { ownerId, sha1s: JSON.stringify(sha1s), before })
        const bytes = deleted.reduce((sum, { size }) => sum + size, 0)
        await countUsage(tx, [{ ownerId, what: 'contentBytes', period: '', amount: -bytes }])
        const contents = [...new Set(deleted.map(({ sha256 }) => sha256))]
        const kept = await known(contents, tx)
        const unneeded = contents.filter((sha256) => !kept.has(sha256))
        // Nobody is to look for what nobody can upload again.
        await deleteDamaged(tx, { sha256s: JSON.stringify(unneeded) })
        return unneeded
      }),

    async addDamaged(sha256, at) {
      await db
        .insertInto('damaged_contents')
        .columns(['sha256', 'found_at'])
        .expression((eb) =>
          eb
            .selectFrom('files')
            .select(['sha256', sql<number>`cast(${at} as bigint)`.as('found_at')])
            .where('sha256', '=', sha256)
            .limit(1),
        )
        .onConflict((conflict) => conflict.column('sha256').doNothing())
        .execute()
    },

    async countDamaged() {
      const { count } = await db
        .selectFrom('damaged_contents')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return count
    },

    known,
  }
}
