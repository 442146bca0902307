import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from './database.ts'
import { prepare } from './prepare.ts'

async function open(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-prepare-'))
  const database = await openDatabase({ file: join(folder, 'aloft.db') })
  await sql`create table settings (key text primary key, value text)`.execute(database.db)
  t.after(async () => {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  })
  return database.db
}

const find = prepare<{ key: string }>()((db, { key }) =>
  db.selectFrom('settings').select(['key', 'value']).where('key', '=', key),
)

it('answers a read in the turn in which it is asked, where the database is in this process', async (t) => {
  const db = await open(t)
  await db.insertInto('settings').values({ key: 'a', value: '1' }).execute()
  let rows: readonly unknown[] | undefined
  void find(db, { key: 'a' }).then((found) => {
    rows = found
  })
  await Promise.resolve()
  assert.deepEqual(rows, [{ key: 'a', value: '1' }])
})

it('reads what its own transaction has written, and nobody else does before its end', async (t) => {
  const db = await open(t)
  await db.transaction().execute(async (tx) => {
    await tx.insertInto('settings').values({ key: 'a', value: '1' }).execute()
    assert.equal((await find(tx, { key: 'a' })).length, 1)
    assert.equal((await find(db, { key: 'a' })).length, 0)
  })
  assert.equal((await find(db, { key: 'a' })).length, 1)
})

it('refuses what no database could hold, as every other way does', async (t) => {
  const db = await open(t)
  await assert.rejects(find(db, { key: 'a\0b' }), { kind: 'bad_request' })
})
