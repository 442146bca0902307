import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Kysely, sql } from 'kysely'
import { createSqliteDialect } from '../database/dialect/sqlite-dialect.ts'
import { MIGRATIONS } from './list.ts'
import { migrate } from './migrate.ts'
import { isBreaking } from './migration.ts'

interface Column {
  readonly name: string
  readonly notnull: number
  readonly dflt_value: unknown
}
type Schema = ReadonlyMap<string, readonly Column[]>

async function schemaOf(db: Kysely<unknown>): Promise<Schema> {
  const tables = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(db)
  const schema = new Map<string, readonly Column[]>()
  for (const { name } of tables.rows)
    schema.set(name, (await sql<Column>`select * from pragma_table_info(${name})`.execute(db)).rows)
  return schema
}

/** What a program that knows only the schema before would stumble over. */
function takenAway(before: Schema, after: Schema): string[] {
  return [...before].flatMap(([table, columns]) => {
    const now = after.get(table)
    if (now === undefined) return [`the table ${table} is gone`]
    const had = new Set(columns.map(({ name }) => name))
    const has = new Set(now.map(({ name }) => name))
    return [
      ...[...had].filter((name) => !has.has(name)).map((name) => `${table}.${name} is gone`),
      ...now
        .filter(({ name, notnull, dflt_value }) => !had.has(name) && notnull === 1 && dflt_value === null)
        .map(({ name }) => `${table}.${name} has to be given`),
    ]
  })
}

test('a program of the step before can read and write what the next step has made of its tables', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-additive-'))
  const db = new Kysely<unknown>({ dialect: createSqliteDialect({ file: join(folder, 'aloft.db') }) })
  t.after(async () => {
    await db.destroy()
    await rm(folder, { recursive: true, force: true })
  })
  let before: Schema = new Map()
  for (const [i, { name }] of MIGRATIONS.entries()) {
    await migrate(db, MIGRATIONS.slice(0, i + 1))
    const after = await schemaOf(db)
    // During an upgrade the version before runs on the new schema, and may be started again on it.
    if (!isBreaking(name)) assert.deepEqual(takenAway(before, after), [], name)
    before = after
  }
})

test('a column that is gone, or has to be given, is told', () => {
  const column = (name: string, notnull = 0, dflt_value: unknown = null) => ({ name, notnull, dflt_value })
  const before = new Map([
    ['a', [column('id', 1), column('x')]],
    ['b', []],
  ])
  const after = new Map([['a', [column('id', 1), column('y', 1), column('z', 1, '0')]]])
  assert.deepEqual(takenAway(before, after), ['a.x is gone', 'a.y has to be given', 'the table b is gone'])
})
