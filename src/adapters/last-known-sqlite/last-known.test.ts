import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
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
  let now = 0
  const clock = { now: () => ++now, monotonic: () => 1 }
  const open = (more: { firstToGo?: readonly string[]; maxBytes?: number } = {}) =>
    createLastKnown({ file, clock, log: silentLog, ...more })
  return { open, file }
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

test('what is gone is forgotten also where another process was writing just then', async (t) => {
  const { open, file } = await setUp(t)
  const before = open()
  for (const name of ['a.test', 'b.test']) before.put('site', name, { name })
  before.close()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const known = open()
  known.put('site', 'a.test', undefined)
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  t.mock.timers.tick(1000)
  other.exec('COMMIT')
  other.close()
  assert.equal(known.get('site', 'a.test'), undefined)
  t.mock.timers.tick(5000)
  const later = open()
  assert.equal(later.get('site', 'a.test'), undefined)
  assert.deepEqual(later.get('site', 'b.test'), { name: 'b.test' })
  later.close()
  known.close()
})

test('an end does not wait for what cannot be written', async (t) => {
  const { open, file } = await setUp(t)
  const known = open()
  known.put('site', 'a.test', 1)
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  known.put('site', 'a.test', undefined)
  known.close()
  other.exec('COMMIT')
  other.close()
})

test('however many names somebody makes up, what else is known stays, and the file does not grow without end', async (t) => {
  const { open, file } = await setUp(t)
  const known = open({ firstToGo: ['made-up'], maxBytes: 2 ** 20 })
  for (let i = 0; i < 10; i++) known.put('site', `${i}.test`, Buffer.alloc(20_000, i))
  for (let i = 0; i < 20_000; i++) known.put('made-up', `x${i}.a.test`, { by: '*.a.test' })
  known.close()
  const again = open()
  for (let i = 0; i < 10; i++) assert.ok(again.get('site', `${i}.test`), `${i}.test is known`)
  assert.ok(again.get('made-up', 'x19999.a.test'))
  assert.equal(again.get('made-up', 'x0.a.test'), undefined)
  again.close()
  assert.ok((await stat(file)).size < 3 * 2 ** 20)
})

test('the longest unused goes first', async (t) => {
  const { open } = await setUp(t)
  for (let round = 0; round < 4; round++) {
    const known = open({ maxBytes: 2 ** 20 })
    known.put('site', 'used.test', Buffer.alloc(50_000))
    for (let i = 0; i < 10; i++) known.put('site', `${round}-${i}.test`, Buffer.alloc(50_000))
    known.close()
  }
  const last = open()
  assert.ok(last.get('site', 'used.test'))
  assert.ok(last.get('site', '3-9.test'))
  assert.equal(last.get('site', '0-0.test'), undefined)
  last.close()
})
