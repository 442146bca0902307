import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { onPostgres, removeDatabase } from '#test/support/database/databases.ts'
import { MIGRATIONS } from '../migrations/list.ts'
import { openTableTarget } from './table-target.ts'

const NAMES = MIGRATIONS.map(({ name }) => name)
const setting = (key: string) => JSON.stringify({ key, value: 'kept' })

onPostgres((name, open) => {
  test(`${name}: rows that are put back are there together, at the end, and leave nothing when they are cut off`, async (t) => {
    const url = await open()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    t.after(async () => {
      await client.end()
      await removeDatabase(url)
    })
    const there = async () => {
      const { rows } = await client.query(`select to_regclass('settings') as it`)
      return rows[0].it !== null
    }

    const cutOff = await openTableTarget({ url, file: '', logFile: '' })
    await cutOff.begin('main', NAMES)
    await cutOff.add('main', 'settings', [setting('a')])
    assert.equal(await cutOff.count('main', 'settings'), 1)
    assert.equal(await there(), false, 'nobody sees a part of it')
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await assert.rejects(cutOff.add('main', 'settings', [setting('b')]))
    await cutOff.abandon()
    assert.equal(await there(), false)

    const target = await openTableTarget({ url, file: '', logFile: '' })
    // Somebody else who comes meanwhile waits, and is then refused.
    const second = openTableTarget({ url, file: '', logFile: '' })
    second.catch(() => undefined)
    await target.begin('main', NAMES)
    await target.add('main', 'settings', [setting('a')])
    await target.add('main', 'settings', [setting('b')])
    await target.finish()
    const { rows } = await client.query('select key from settings order by key')
    assert.deepEqual(rows, [{ key: 'a' }, { key: 'b' }])
    await assert.rejects(second, /holds an installation already/)
  })
})
