import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OwnChanges } from './own-changes.ts'

/** Starts of a command, at a clock that is moved by hand. */
function startsOf() {
  let now = 0
  const changes = new OwnChanges(() => now)
  return {
    changes,
    later: (ms: number) => {
      now += ms
    },
    start: async (how: Promise<void> = Promise.resolve()) => {
      changes.starts(how)
      await how.catch(() => {})
    },
  }
}

test('what a command writes at each start restarts it once', async () => {
  const { changes, start } = startsOf()
  const { promise, resolve } = Promise.withResolvers<void>()
  changes.starts(promise)
  assert.equal(changes.isOwn(), false, 'before it takes connections')
  resolve()
  await start()
  assert.equal(changes.isOwn(), true, 'just after it took some')
  assert.equal(changes.isOwn(), true, 'however often it does so')
})

test('an edit restarts such a command as well, and once', async () => {
  const { changes, start, later } = startsOf()
  for (const isOwn of [false, true]) {
    await start()
    assert.equal(changes.isOwn(), isOwn)
  }
  later(10_000)
  assert.equal(changes.isOwn(), false)
  await start()
  assert.equal(changes.isOwn(), true)
})

test('edits restart a command that writes nothing, each of them, also while it starts', async () => {
  const { changes, start, later } = startsOf()
  assert.equal(changes.isOwn(), false, 'before any start')
  await start()
  later(10_000)
  assert.equal(changes.isOwn(), false)
  await start()
  assert.equal(changes.isOwn(), false)
  await start(Promise.reject(new Error('a wrong value')))
  later(10_000)
  assert.equal(changes.isOwn(), false)
  await start()
  assert.equal(changes.isOwn(), false)
})
