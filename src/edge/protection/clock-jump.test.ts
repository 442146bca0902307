import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryLimiter } from '#adapters/limit-memory/memory-limiter.ts'
import { DAY, MINUTE } from '#contract/time.ts'
import { createTestClock } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { createGuessLimit } from './guess-limit.ts'
import { createMembers } from './members.ts'

for (const [name, jump] of [
  ['set back', -DAY],
  ['put forward', DAY],
] as const) {
  test(`whoever may not visit any more is noticed within a minute, on a clock that was ${name}`, async () => {
    const clock = createTestClock()
    let mayVisit = true
    const members = createMembers({ mayVisit: async () => mayVisit, clock, log: silentLog })
    assert.equal(await members.may('user', 'owner'), true)
    clock.jump(jump)
    mayVisit = false
    assert.equal(await members.may('user', 'owner'), true)
    clock.advance(MINUTE)
    assert.equal(await members.may('user', 'owner'), false)
  })

  test(`too many wrong tries keep somebody out for ten minutes, on a clock that was ${name}`, async () => {
    const clock = createTestClock()
    const guesses = createGuessLimit(createMemoryLimiter({ clock }), clock)
    for (let n = 0; n < 10; n++) assert.equal(await guesses.attempt('key', () => false), false)
    clock.jump(jump)
    const refused = await guesses.attempt('key', () => true)
    assert.ok(typeof refused === 'object')
    const left = refused.againAt - clock.now()
    assert.ok(left > 9 * MINUTE && left <= 10 * MINUTE, `told to come again in ${left} ms`)
    clock.advance(10 * MINUTE)
    assert.equal(await guesses.attempt('key', () => true), true)
  })
}
