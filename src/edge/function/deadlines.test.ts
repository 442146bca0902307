import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Deadlines, type Limited } from './deadlines.ts'

/** Time that passes only as far as it is told to. */
function timeOf(t: TestContext) {
  let now = 0
  t.mock.timers.enable({ apis: ['setTimeout'] })
  t.mock.method(performance, 'now', () => now)
  return (ms: number) => {
    now += ms
    t.mock.timers.tick(ms)
  }
}

/** Calls by their names, and those whose time was over. */
function create() {
  const over: string[] = []
  const call = (name: string): Limited => ({
    ...{ deadline: 0, earlier: undefined, later: undefined },
    onDeadline: () => void over.push(name),
  })
  return { over, call, deadlines: new Deadlines() }
}

test('what takes too long is told so in time, each in its own', (t) => {
  const pass = timeOf(t)
  const { over, call, deadlines } = create()
  deadlines.watch(call('long'), 100)
  deadlines.watch(call('short'), 20)
  pass(10)
  deadlines.watch(call('short, later'), 20)
  pass(9)
  assert.deepEqual(over, [])
  pass(1)
  assert.deepEqual(over, ['short'])
  pass(10)
  assert.deepEqual(over, ['short', 'short, later'])
  pass(69)
  assert.equal(over.length, 2)
  pass(1)
  assert.deepEqual(over, ['short', 'short, later', 'long'])
})

test('what has ended is told nothing, and what began after it has all of its time', (t) => {
  const pass = timeOf(t)
  const { over, call, deadlines } = create()
  const first = call('first')
  deadlines.watch(first, 40)
  deadlines.forget(first, 40)
  pass(30)
  deadlines.watch(call('second'), 40)
  pass(39)
  assert.deepEqual(over, [])
  pass(1)
  assert.deepEqual(over, ['second'])
})

test('whichever of them end, and in whatever order, the others are told in time', (t) => {
  const pass = timeOf(t)
  const { over, call, deadlines } = create()
  const calls = ['a', 'b', 'c', 'd', 'e'].map(call)
  for (const one of calls) deadlines.watch(one, 40)
  for (const n of [2, 0, 4]) deadlines.forget(calls[n] as Limited, 40)
  // Once more does nothing.
  deadlines.forget(calls[0] as Limited, 40)
  deadlines.watch(call('f'), 40)
  pass(40)
  assert.deepEqual(over, ['b', 'd', 'f'])
  deadlines.forget(calls[1] as Limited, 40)
  deadlines.watch(call('g'), 40)
  pass(40)
  assert.deepEqual(over, ['b', 'd', 'f', 'g'])
})

test('there is one timer for all that may take equally long', (t) => {
  const pass = timeOf(t)
  const { over, call, deadlines } = create()
  const { setTimeout: original } = globalThis
  const set = t.mock.method(globalThis, 'setTimeout', original)
  for (let i = 0; i < 100; i++) deadlines.watch(call(String(i)), 40)
  assert.equal(set.mock.callCount(), 1)
  pass(40)
  assert.equal(over.length, 100)
})
