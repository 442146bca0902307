import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Admission, type Allowance, UNLIMITED } from './admission.ts'

const GB = 1024
const open = (given: { instances?: number; memoryMb?: number } = {}) => {
  const machine = { short: false }
  const admission = new Admission({
    instances: 100,
    memoryMb: 8 * GB,
    isShort: () => machine.short,
    ...given,
  })
  const begun: string[] = []
  const start = async (name: string, memoryMb = GB, allowed: Allowance = UNLIMITED) => {
    const release = await admission.take({ ownerId: name.slice(0, 1), memoryMb }, allowed)
    begun.push(name)
    return release
  }
  const settle = () => new Promise(setImmediate)
  return { admission, machine, begun, start, settle }
}

test('an account has as many instances and as much memory as it may, on all machines together', async () => {
  const { begun, start, settle, admission } = open()
  const allowed = { instances: 3, memoryMb: 5 * GB, elsewhere: { count: 1, memoryMb: 2 * GB } }
  const first = await start('a1', 2 * GB, allowed)
  void start('a2', 2 * GB, allowed)
  await start('b1')
  await settle()
  assert.deepEqual(begun, ['a1', 'b1'], 'others have nothing to do with it')
  assert.deepEqual(
    admission.waiting.map(({ ownerId, obstacle }) => [ownerId, obstacle]),
    [['a', 'account']],
  )
  first()
  first()
  await settle()
  assert.deepEqual(begun, ['a1', 'b1', 'a2'])
  void start('a3', 256, allowed)
  await settle()
  assert.equal(begun.length, 4)
  void start('a4', 256, allowed)
  await settle()
  assert.equal(begun.length, 4, 'three are running, one of them elsewhere')
})

test('no account alone may take more memory than the machine has for all', async () => {
  const { begun, start, settle } = open()
  await start('a1', 6 * GB)
  void start('a2', 6 * GB)
  await start('b1', 6 * GB)
  await settle()
  assert.deepEqual(begun, ['a1', 'b1'])
  await start('c1', 20 * GB)
  assert.deepEqual(begun, ['a1', 'b1', 'c1'], 'one that is too large runs alone')
})

test('while memory is short only who holds less than an equal share starts anything', async () => {
  const { begun, start, settle, machine, admission } = open()
  for (const name of ['a1', 'a2', 'a3', 'a4']) await start(name)
  await start('b1')
  machine.short = true
  void start('a5')
  void start('b2')
  void start('c1')
  await settle()
  assert.deepEqual(begun.slice(5), ['b2', 'c1'])
  machine.short = false
  admission.look()
  await settle()
  assert.deepEqual(begun.slice(7), ['a5'])
})

test('of those that wait for the machine, who holds the least comes first', async () => {
  const { begun, start, settle } = open({ instances: 3 })
  const running = [await start('a1'), await start('a2'), await start('b1')]
  for (const name of ['a3', 'b2', 'c1']) void start(name)
  for (const release of running) {
    release()
    await settle()
  }
  assert.deepEqual(begun.slice(3), ['c1', 'a3', 'b2'])
})
