import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { silentLog } from '#test/support/silent-log.ts'
import { createLastKnown } from './last-known.ts'

async function setUp(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-last-known-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'last-known.db')
  const open = () => createLastKnown({ file, clock: { now: () => 1, monotonic: () => 1 }, log: silentLog })
  return { open }
}

test('what was put is there after the end, however much it was, and what was taken back is not', async (t) => {
  const { open } = await setUp(t)
  const known = open()
  for (let i = 0; i < 1200; i++) known.put('site', `${i}.test`, { i })
  known.put('site', '7.test', undefined)
  assert.equal(known.get('site', '7.test'), undefined)
  known.close()
  const again = open()
  assert.deepEqual(again.get('site', '1199.test'), { i: 1199 })
  assert.equal(again.get('site', '7.test'), undefined)
  again.put('site', '8.test', undefined)
  again.close()
  const last = open()
  assert.equal(last.get('site', '8.test'), undefined)
  assert.deepEqual(last.get('site', '9.test'), { i: 9 })
  last.close()
})

test('nothing is written for names that somebody makes up', async (t) => {
  const { open } = await setUp(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const known = open()
  const exec = t.mock.method(DatabaseSync.prototype, 'exec')
  for (let i = 0; i < 100; i++) known.put('site', `${i}.test`, undefined)
  t.mock.timers.tick(1000)
  assert.equal(exec.mock.callCount(), 0)
  known.put('site', 'a.test', 1)
  known.put('site', 'a.test', undefined)
  t.mock.timers.tick(1000)
  assert.deepEqual(
    exec.mock.calls.map((call) => call.arguments[0]),
    ['BEGIN IMMEDIATE', 'COMMIT'],
  )
  known.close()
})
