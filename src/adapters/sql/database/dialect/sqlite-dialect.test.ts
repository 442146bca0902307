import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { Kysely, sql } from 'kysely'
import { createSqliteDialect } from './sqlite-dialect.ts'

interface Notes {
  readonly notes: { id: number; text: string }
}

async function openNotes(t: TestContext, timeoutMs = 60_000) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-sqlite-'))
  const file = join(folder, 'deep', 'aloft.db')
  const db = new Kysely<Notes>({ dialect: createSqliteDialect({ file, timeoutMs }) })
  await db.schema.createTable('notes').addColumn('id', 'integer').addColumn('text', 'text').execute()
  const foreign = new DatabaseSync(file, { timeout: 0 })
  t.after(async () => {
    foreign.close()
    await db.destroy()
    await rm(folder, { recursive: true, force: true })
  })
  const add = (id: number) => db.insertInto('notes').values({ id, text: 'x' }).execute()
  const ids = async () => {
    const rows = await db.selectFrom('notes').select('id').orderBy('id').execute()
    return rows.map((row) => row.id)
  }
  return { db, file, foreign, add, ids }
}

it('keeps the file to its owner', async (t) => {
  const { file } = await openNotes(t)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.equal((await stat(join(file, '..'))).mode & 0o777, 0o700)
})

it('keeps more pages of a large file than of a small one, within bounds', async (t) => {
  const { file } = await openNotes(t)
  const kept = async (bytes: number) => {
    // What comes after the last page is not looked at.
    await truncate(file, bytes)
    const db = new Kysely<Notes>({ dialect: createSqliteDialect({ file }) })
    t.after(() => db.destroy())
    const { rows } = await db.executeQuery<{ cache_size: number }>({
      ...db.selectFrom('notes').select('id').compile(),
      sql: 'pragma cache_size',
    })
    return rows[0]?.cache_size
  }
  assert.equal(await kept((await stat(file)).size), -4000)
  assert.equal(await kept(1_024_000_000), -8000)
  assert.equal(await kept(10_000_000_000), -32_000)
})

/** A disk that ends its syncs when it is told to. */
function slowDisk() {
  const syncs: ((error: Error | null) => void)[] = []
  let onBegun = () => {}
  const syncFile = (_fd: number, done: (error: Error | null) => void) => {
    syncs.push(done)
    onBegun()
  }
  return {
    syncFile,
    /** The sync that is under way, or begins next. */
    async next() {
      if (syncs.length === 0) await new Promise<void>((begun) => (onBegun = begun))
      return syncs.shift() as (error: Error | null) => void
    },
    waiting: () => syncs.length,
  }
}

async function openOnDisk(t: TestContext, durability: 'full' | 'normal' = 'full') {
  const { file, foreign } = await openNotes(t)
  const disk = slowDisk()
  const db = new Kysely<Notes>({
    dialect: createSqliteDialect({ file, durability, syncFile: disk.syncFile }),
  })
  t.after(() => db.destroy())
  const isSettled = async (work: Promise<unknown>) => {
    const no = Symbol()
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    return (await Promise.race([work, no])) !== no
  }
  return {
    db,
    disk,
    foreign,
    add: (id: number) => db.insertInto('notes').values({ id, text: 'x' }).execute(),
    addIn: (id: number) =>
      db.transaction().execute((tx) => tx.insertInto('notes').values({ id, text: 'x' }).execute()),
    isSettled,
  }
}

for (const [how, which] of [
  ['a statement', 'add'],
  ['a transaction', 'addIn'],
] as const)
  it(`acknowledges ${how} only when it is on the disk`, async (t) => {
    const { disk, foreign, isSettled, [which]: add } = await openOnDisk(t)
    const added = add(1)
    const end = await disk.next()
    assert.equal(await isSettled(added), false)
    assert.equal(foreign.prepare('pragma journal_mode').get()?.journal_mode, 'wal')
    assert.equal(foreign.prepare('select count(*) as n from notes').get()?.n, 1, 'it is what is synced')
    end(null)
    await added
  })

it('has all commits of the time of one sync share the next', async (t) => {
  const { disk, addIn, add, isSettled } = await openOnDisk(t)
  const first = addIn(1)
  const endFirst = await disk.next()
  const others = [addIn(2), add(3), addIn(4)]
  assert.equal(await isSettled(Promise.any(others)), false, 'a sync that began before says nothing of them')
  assert.equal(disk.waiting(), 0)
  endFirst(null)
  await first
  const endSecond = await disk.next()
  endSecond(null)
  await Promise.all(others)
  assert.equal(disk.waiting(), 0)
})

it('acknowledges nothing that the disk could not take', async (t) => {
  const { disk, add, addIn } = await openOnDisk(t)
  for (const write of [add, addIn]) {
    const failing = write(1)
    const end = await disk.next()
    end(new Error('EIO'))
    await assert.rejects(failing, { kind: 'service_unavailable' })
  }
  const later = add(2)
  ;(await disk.next())(null)
  await later
})

it('waits for no disk where nothing was written, or little is lost', async (t) => {
  const { db, disk } = await openOnDisk(t)
  await db.transaction().execute((tx) => tx.selectFrom('notes').selectAll().execute())
  assert.equal(disk.waiting(), 0)
  const logs = await openOnDisk(t, 'normal')
  await logs.add(1)
  await logs.addIn(2)
  assert.equal(logs.disk.waiting(), 0)
})

it('tells how many rows a statement touched', async (t) => {
  const { db, add } = await openNotes(t)
  for (const id of [1, 2, 3]) await add(id)
  const updated = await db
    .updateTable('notes')
    .set({ text: 'y' })
    .where('id', '>', 1)
    .executeTakeFirstOrThrow()
  assert.equal(updated.numUpdatedRows, 2n)
  const deleted = await db.deleteFrom('notes').where('id', '=', 9).executeTakeFirstOrThrow()
  assert.equal(deleted.numDeletedRows, 0n)
})

it('waits for the lock of another process without stopping this one', async (t) => {
  const { foreign, add, ids, db } = await openNotes(t)
  foreign.exec('begin immediate; insert into notes values (1, null)')
  let written = 0
  const writes = [
    add(2).then(() => written++),
    db
      .transaction()
      .execute((tx) => tx.insertInto('notes').values({ id: 3, text: '' }).execute())
      .then(() => written++),
  ]
  for (let i = 0; i < 5; i++) {
    await new Promise(setImmediate)
    assert.deepEqual(await ids(), [])
  }
  assert.equal(written, 0)
  foreign.exec('commit')
  await Promise.all(writes)
  assert.deepEqual(await ids(), [1, 2, 3])
})

it('gives up a write when another process keeps the lock, and works again afterwards', async (t) => {
  const { db, foreign, add, ids } = await openNotes(t, 20)
  foreign.exec('begin immediate')
  await assert.rejects(add(1), { kind: 'service_unavailable' })
  await assert.rejects(
    db.transaction().execute(async () => assert.fail('the transaction must not begin')),
    { kind: 'service_unavailable' },
  )
  foreign.exec('rollback')
  await add(2)
  assert.deepEqual(await ids(), [2])
})

it('undoes a transaction that does not end, and lets the others go on', async (t) => {
  const { db, add, ids } = await openNotes(t, 20)
  const stuck = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const transaction = db.transaction().execute(async (tx) => {
    await tx.insertInto('notes').values({ id: 1, text: '' }).execute()
    begun.resolve()
    await stuck.promise
    await tx.insertInto('notes').values({ id: 2, text: '' }).execute()
  })
  await begun.promise
  for (let written = false; !written; )
    await add(3).then(
      () => {
        written = true
      },
      (error) => assert.equal(error.kind, 'service_unavailable'),
    )
  stuck.resolve()
  await assert.rejects(transaction, { kind: 'service_unavailable' })
  assert.deepEqual(await ids(), [3])
})

it('does not commit a transaction that was undone while it waited', async (t) => {
  const { db, ids } = await openNotes(t, 1)
  const transaction = db.transaction().execute(async (tx) => {
    await tx.insertInto('notes').values({ id: 1, text: '' }).execute()
    const seen = async () => (await tx.selectFrom('notes').select('id').execute()).length
    while ((await seen().catch(() => 0)) > 0) await new Promise(setImmediate)
  })
  await assert.rejects(transaction, { kind: 'service_unavailable' })
  assert.deepEqual(await ids(), [])
})

it('keeps nothing of a transaction that fills the disk, even when the work goes on', async (t) => {
  const { db, ids } = await openNotes(t)
  await sql`pragma max_page_count = 20`.execute(db)
  const transaction = db.transaction().execute(async (tx) => {
    await tx.insertInto('notes').values({ id: 1, text: '' }).execute()
    const large = tx
      .insertInto('notes')
      .values({ id: 2, text: 'x'.repeat(1_000_000) })
      .execute()
    await assert.rejects(large, { kind: 'service_unavailable' })
    await tx.insertInto('notes').values({ id: 3, text: '' }).execute()
  })
  await transaction.then(
    async () => assert.deepEqual(await ids(), [1, 3]),
    async () => assert.deepEqual(await ids(), []),
  )
})

it('runs more texts than it keeps prepared', async (t) => {
  const { db } = await openNotes(t)
  for (let i = 0; i < 600; i++) {
    const { rows } = await sql<{ n: number }>`select ${sql.lit(i)} as n`.execute(db)
    assert.deepEqual(rows, [{ n: i }])
  }
})

it('lets the transaction under way end before it closes', async (t) => {
  const { db, file, ids } = await openNotes(t)
  assert.deepEqual(await ids(), [])
  const other = new Kysely<Notes>({ dialect: createSqliteDialect({ file }) })
  const begun = Promise.withResolvers<void>()
  const transaction = other.transaction().execute(async (tx) => {
    begun.resolve()
    await new Promise(setImmediate)
    await tx.insertInto('notes').values({ id: 1, text: '' }).execute()
  })
  await begun.promise
  await Promise.all([other.destroy(), transaction])
  assert.deepEqual(await ids(), [1])
  await assert.rejects(other.selectFrom('notes').selectAll().execute())
  assert.deepEqual(await db.selectFrom('notes').select('id').execute(), [{ id: 1 }])
})
