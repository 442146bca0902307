import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { alone } from '#adapters/limit-ipc/messages.ts'
import { MINUTE } from '#contract/time.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { readConfig } from '../../config/config.ts'
import { kindOf } from '../supervisor/channel.ts'
import { openShared } from './shared.ts'

/** Who is asked for a count: answers the kinds of what was sent to the supervisor. */
async function countOnce(t: TestContext, isAlone: boolean): Promise<unknown[]> {
  const sent: unknown[] = []
  const listeners: ((message: unknown) => void)[] = []
  const channel = {
    send(message: unknown) {
      sent.push(kindOf(message))
      const { batch, takes = [] } = message as { batch?: number; takes?: readonly unknown[] }
      const taken = takes.map(() => [true, 1, 0])
      for (const tell of listeners) tell({ kind: 'limit.answer', batch, taken })
    },
    onMessage: (listener: (message: unknown) => void) => void listeners.push(listener),
  }
  const shared = await openShared(readConfig({}), {
    log: silentLog,
    channel,
    clock: systemClock,
  })
  t.after(() => shared.close())
  for (const tell of listeners) tell(alone(isAlone))
  const { allowed } = await shared.limiter.take('ann', { points: 2, ms: MINUTE })
  assert.equal(allowed, true)
  return sent.filter((kind) => kind === 'limit.ask')
}

test('a process that answers the API alone counts requests itself', async (t) => {
  assert.deepEqual(await countOnce(t, true), [])
})

test('several count at their supervisor', async (t) => {
  assert.deepEqual(await countOnce(t, false), ['limit.ask'])
})
