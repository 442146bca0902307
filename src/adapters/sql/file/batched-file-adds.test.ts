import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { Kysely } from 'kysely'
import { sampleFile } from '#test/support/samples.ts'
import { createSqliteDialect } from '../database/dialect/sqlite-dialect.ts'
import { migrate } from '../migrations/migrate.ts'
import type { Tables } from '../tables.ts'
import { createBatchedFileAdds } from './batched-file-adds.ts'

async function openAdds(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-adds-'))
  let inserts = 0
  const db = new Kysely<Tables>({
    dialect: createSqliteDialect({ file: join(folder, 'aloft.db') }),
    log: ({ query }) => {
      if (query.sql.startsWith('insert into "files"')) inserts++
    },
  })
  t.after(async () => {
    await db.destroy()
    await rm(folder, { recursive: true, force: true })
  })
  await migrate(db as unknown as Kysely<unknown>)
  const add = createBatchedFileAdds(db)
  const count = async () => (await db.selectFrom('files').select('sha1').execute()).length
  return { add, count, inserts: () => inserts }
}

it('writes together what callers add at the same time, round after round', async (t) => {
  const { add, count, inserts } = await openAdds(t)
  await Promise.all(
    Array.from({ length: 16 }, async (_, caller) => {
      for (let i = 0; i < 5; i++) await add('anna', [sampleFile(`${caller}/${i}`)], 1)
    }),
  )
  assert.equal(inserts(), 5)
  assert.equal(await count(), 80)
})

it('writes what is added during a commit with the next one', async (t) => {
  const { add, inserts } = await openAdds(t)
  const first = add('anna', [sampleFile('first')], 1)
  await new Promise(setImmediate)
  await Promise.all([first, ...['a', 'b', 'c'].map((text) => add('anna', [sampleFile(text)], 1))])
  assert.equal(inserts(), 2)
})

it('keeps nobody waiting for others', async (t) => {
  const { add, inserts } = await openAdds(t)
  for (let i = 0; i < 3; i++) await add('anna', [sampleFile(`${i}`)], 1)
  assert.equal(inserts(), 3)
})

it('writes a bounded number of files together, and all of one add', async (t) => {
  const { add, count, inserts } = await openAdds(t)
  const many = (of: string, length: number) => Array.from({ length }, (_, i) => sampleFile(`${of} ${i}`))
  await Promise.all([
    add('anna', many('large', 400), 1),
    add('anna', many('next', 200), 1),
    add('bert', many('small', 1), 1),
  ])
  assert.equal(inserts(), 2)
  assert.equal(await count(), 601)
})

it('goes on after a failure', async (t) => {
  const { add, count } = await openAdds(t)
  const broken = { ...sampleFile('broken'), size: Number.NaN }
  await assert.rejects(add('anna', [broken], 1))
  await assert.rejects(Promise.all([add('anna', [sampleFile('a')], 1), add('anna', [broken], 1)]))
  await add('anna', [sampleFile('b')], 1)
  assert.equal(await count(), 2)
})
