import type { DatabaseSync } from 'node:sqlite'

/** A table and those that its rows refer to. */
export interface TableShape {
  readonly name: string
  readonly columns: readonly string[]
  /** Those of the columns that hold bytes. */
  readonly binary?: readonly string[]
  readonly refersTo: readonly string[]
}

/** What is remembered of the schema itself, and what only says what runs right now. */
const OF_THE_MOMENT = ['aloft_migrations', 'aloft_log_migrations', 'instances', 'machines']
/** Where contents and repositories are. */
const OF_PLACES = ['contents', 'content_objects', 'shared_things', 'shared_contents']

/** Which tables are meant. */
export type IsMeant = (table: string) => boolean

/** Where a database moves and everything else stays. */
export const isMoved: IsMeant = (table) => !OF_THE_MOMENT.includes(table)

/** In a backup, which has the contents and repositories themselves. */
export const isCopied: IsMeant = (table) => isMoved(table) && !OF_PLACES.includes(table)

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Tables that others refer to come first, so that rows can be put back in this order. */
export function inOrder(tables: readonly TableShape[]): readonly TableShape[] {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const done = new Set<TableShape>()
  const visit = (table: TableShape, path: readonly TableShape[]): void => {
    if (done.has(table) || path.includes(table)) return
    for (const name of table.refersTo) {
      const other = byName.get(name)
      if (other) visit(other, [...path, table])
    }
    done.add(table)
  }
  for (const table of tables.toSorted((a, b) => (a.name < b.name ? -1 : 1))) visit(table, [])
  return [...done]
}

export function sqliteTables(db: DatabaseSync, isMeant: IsMeant = isCopied): readonly TableShape[] {
  const names = db
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'")
    .all()
    .map(({ name }) => String(name))
    .filter(isMeant)
  const column = (pragma: string, table: string, key: string, where = 'true') =>
    db
      .prepare(`select ${key} as it from ${pragma}(?) where ${where}`)
      .all(table)
      .map(({ it }) => String(it))
  return inOrder(
    names.map((name) => ({
      name,
      columns: column('pragma_table_info', name, 'name'),
      binary: column('pragma_table_info', name, 'name', "lower(type) = 'blob'"),
      refersTo: column('pragma_foreign_key_list', name, '"table"'),
    })),
  )
}
