import { DatabaseSync } from 'node:sqlite'
import type { BackupRows } from '#contract/backup/backup.ts'
import type { TakeRows } from '#core/operator/backup.ts'
import type { History } from '../migrations/migrate.ts'
import { type IsMeant, quoted, sqliteTables } from './schema-tables.ts'

/** Lines are handed over in groups of about this many characters: in memory at a time, and one entry of a backup. */
const GROUP = 256 * 1024

/** Gathers lines into groups. */
export function grouping(take: (lines: readonly string[]) => Promise<void>) {
  let group: string[] = []
  let length = 0
  let count = 0
  const flush = async () => {
    if (group.length === 0) return
    const full = group
    group = []
    length = 0
    await take(full)
  }
  return {
    count: () => count,
    flush,
    async add(line: string) {
      group.push(line)
      count += 1
      length += line.length
      if (length >= GROUP) await flush()
    },
  }
}

/**
 * Reads in one transaction of a connection of its own: in WAL mode that keeps nobody from writing, and sees nothing
 * of what is written.
 */
export async function readSqliteRows(
  file: string,
  { history, isMeant }: { readonly history: History; readonly isMeant?: IsMeant | undefined },
  take: TakeRows,
): Promise<BackupRows> {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    db.exec('begin')
    const migrations = db.prepare(`select name from ${history} order by name`).all()
    const tables: { name: string; rows: number }[] = []
    for (const { name, columns, binary = [] } of sqliteTables(db, isMeant)) {
      const group = grouping((lines) => take.rows(name, lines))
      // Written by the database itself: its whole numbers may be larger than those of JavaScript.
      // Bytes become what PostgreSQL makes of them, so that a backup of either can be restored into the other.
      const asJson = (column: string) =>
        binary.includes(column) ? `'\\x' || hex(${quoted(column)})` : quoted(column)
      const pairs = columns.map((column) => `'${column.replaceAll("'", "''")}', ${asJson(column)}`)
      const rows = db.prepare(`select json_object(${pairs.join(', ')}) as line from ${quoted(name)}`)
      for (const { line } of rows.iterate()) await group.add(String(line))
      await group.flush()
      tables.push({ name, rows: group.count() })
      if (name === 'files') await readBlobNames(db, take)
    }
    return { migrations: migrations.map(({ name }) => String(name)), tables }
  } finally {
    db.close()
  }
}

async function readBlobNames(db: DatabaseSync, take: TakeRows): Promise<void> {
  const group = grouping((names) => take.blobs(names))
  for (const { sha256 } of db.prepare('select distinct sha256 from files order by sha256').iterate())
    await group.add(String(sha256))
  await group.flush()
}
