import { sql } from 'kysely'
import type { UploadedFile } from '#core/file/file-store.ts'
import type { UsageEntry } from '#core/usage/usage-store.ts'
import { countUsage } from '../account/usage-store.ts'
import { tellsNewRows } from '../database/dialect/capabilities.ts'
import { inSteps } from '../database/in-steps.ts'
import { numberAt, rowsIn, textAt } from '../database/json-rows.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'

interface FileRow extends UploadedFile {
  readonly ownerId: string
  readonly usedAt: number
}

/** Few enough to take milliseconds. */
const STEP = 500

/** Those of the rows that are not there yet, where nobody else writes until this transaction ends. */
const selectNew = prepare<{ rows: string }>()((db, { rows }) =>
  db
    .selectFrom(rowsIn(db, rows))
    .select([textAt(0).as('owner_id'), numberAt(3).as('size')])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('files')
            .select('files.sha1')
            .where('files.owner_id', '=', textAt(0))
            .where('files.sha1', '=', textAt(1)),
        ),
      ),
    ),
)

/** Where others write at the same time, only the row itself tells whether it was there. */
const upsertAnnouncing = prepare<{ rows: string }>()((db, { rows }) =>
  upsertFiles(db, rows).returning(['owner_id', 'size', sql<boolean>`xmax = 0`.as('is_new')]),
)

const upsert = prepare<{ rows: string }>()((db, { rows }) => upsertFiles(db, rows))

const upsertFiles = (db: Db, rows: string) =>
  db
    .insertInto('files')
    .columns(['owner_id', 'sha1', 'sha256', 'size', 'used_at'])
    .expression((eb) =>
      eb
        .selectFrom(rowsIn(db, rows))
        .select([
          textAt(0).as('owner_id'),
          textAt(1).as('sha1'),
          textAt(2).as('sha256'),
          numberAt(3).as('size'),
          numberAt(4).as('used_at'),
        ])
        // Without a condition SQLite takes the words that follow for those of a join.
        .where(eb.lit(true)),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'sha1'])
        // The content is what it was: writing it again would write its index again.
        .doUpdateSet((eb) => ({ used_at: eb.ref('excluded.used_at') }))
        .whereRef('files.used_at', '<', 'excluded.used_at'),
    )

interface NewFile {
  readonly owner_id: string
  readonly size: number
}

/** Answers those that were not there before. */
async function write(tx: Db, rows: string): Promise<readonly NewFile[]> {
  if (tellsNewRows(tx)) return (await upsertAnnouncing(tx, { rows })).filter(({ is_new }) => is_new)
  const added = await selectNew(tx, { rows })
  await upsert(tx, { rows })
  return added
}

const contentOf = (files: readonly NewFile[]): readonly UsageEntry[] =>
  [...Map.groupBy(files, ({ owner_id }) => owner_id)].map(([ownerId, theirs]) => ({
    ...{ ownerId, what: 'contentBytes' as const, period: '' },
    amount: theirs.reduce((sum, { size }) => sum + size, 0),
  }))

const deleteAwaited = prepare<{ rows: string }>()((db, { rows }) =>
  db.deleteFrom('awaited_files').where((eb) =>
    eb(
      eb.refTuple('owner_id', 'sha1', 'size'),
      'in',
      eb
        .selectFrom(rowsIn(db, rows))
        .select([textAt(0).as('owner_id'), textAt(1).as('sha1'), numberAt(3).as('size')])
        .$asTuple('owner_id', 'sha1', 'size'),
    ),
  ),
)

/** What is uploaded again is whole again. */
const deleteDamaged = prepare<{ rows: string }>()((db, { rows }) =>
  db
    .deleteFrom('damaged_contents')
    .where('sha256', 'in', (eb) => eb.selectFrom(rowsIn(db, rows)).select(textAt(2).as('sha256'))),
)

/** Each key once, and in one order, so that two writers of the same files wait for each other but never both. */
function inOrder(rows: readonly FileRow[]): FileRow[] {
  const byKey = new Map(rows.map((row) => [`${row.ownerId} ${row.sha1}`, row]))
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

/**
 * Inside the caller's transaction. Answers by how many bytes accounts hold more for it. `areStored`: their contents have just
 * been stored, and are whole.
 */
export async function writeFiles(
  tx: Db,
  rows: readonly FileRow[],
  areStored = true,
): Promise<ReadonlyMap<string, number>> {
  const grown = new Map<string, number>()
  await inSteps(inOrder(rows), STEP, async (step) => {
    const json = JSON.stringify(
      step.map(({ ownerId, sha1, sha256, size, usedAt }) => [ownerId, sha1, sha256, size, usedAt]),
    )
    const contents = contentOf(await write(tx, json))
    for (const { ownerId, amount } of contents) grown.set(ownerId, (grown.get(ownerId) ?? 0) + amount)
    await countUsage(tx, contents)
    if (!areStored) return
    await deleteAwaited(tx, { rows: json })
    await deleteDamaged(tx, { rows: json })
  })
  return grown
}
