import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE } from '#contract/time.ts'
import type { Channel } from '../ipc/channel.ts'
import { createMemoryLimiter } from '../limit-memory/memory-limiter.ts'
import { alone, given } from './messages.ts'
import { serveIpcLimiter } from './serve-ipc-limiter.ts'
import { createServingLimiter } from './serving-limiter.ts'

const window = { points: 3, ms: MINUTE }

/** A process that serves, and the supervisor that counts where it does not. */
function start() {
  const supervisor = createMemoryLimiter()
  const ends: ((message: unknown) => void)[][] = [[], []]
  let messages = 0
  const end = (own: number, other: number): Channel => ({
    send(message) {
      messages += 1
      for (const listener of ends[other] ?? []) listener(structuredClone(message))
    },
    onMessage: (listener) => void ends[own]?.push(listener),
  })
  const toChild = end(0, 1)
  serveIpcLimiter(toChild, supervisor)
  const limiter = createServingLimiter(end(1, 0), { timeout: MINUTE })
  return { limiter, supervisor, toChild, messages: () => messages }
}

test('one that serves alone asks nobody, and one that is told nothing asks', async () => {
  const { limiter, toChild, messages } = start()
  const atFirst = messages()
  await limiter.take('ann', window)
  assert.equal(messages(), atFirst + 2)
  toChild.send(alone(true))
  const before = messages()
  assert.equal((await limiter.take('bob', window)).remaining, 2)
  assert.equal(messages(), before)
})

test('counts move to the supervisor with the second that serves, and back with the last', async () => {
  const { limiter, supervisor, toChild } = start()
  toChild.send(alone(true))
  await limiter.take('ann', window)
  await limiter.take('ann', window)
  toChild.send(alone(false))
  assert.equal((await limiter.take('ann', window)).remaining, 0)
  assert.equal(supervisor.take('ann', window).allowed, false)

  toChild.send(given(supervisor.giveAway()))
  toChild.send(alone(true))
  assert.equal((await limiter.take('ann', window)).allowed, false)
  assert.equal(supervisor.take('ann', window).remaining, 2)
})

test('a window that moves ends when it would have ended', (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 0 })
  const [first, second] = [createMemoryLimiter(), createMemoryLimiter()]
  for (let n = 0; n < 4; n++) first.take('ann', window)
  t.mock.timers.tick(MINUTE - 1000)
  second.receive(first.giveAway())
  assert.equal(second.take('ann', window).allowed, false)
  assert.equal(first.take('ann', window).allowed, true)
  t.mock.timers.tick(1000)
  assert.equal(second.take('ann', window).remaining, 2)
})

test('what is no count is not taken for one', () => {
  const { supervisor, toChild } = start()
  const asChild = createServingLimiter(toChild, { timeout: MINUTE })
  for (const counts of [
    null,
    'x',
    [null],
    [['ann', 3, MINUTE, -1, 5]],
    [['ann', 3, MINUTE, 'many', 5]],
    [[1]],
  ])
    toChild.send({ kind: 'limit.given', counts })
  assert.ok(asChild)
  assert.deepEqual(supervisor.giveAway(), [])
})
