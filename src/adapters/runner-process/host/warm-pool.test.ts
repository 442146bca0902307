import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createTestClock } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { until } from '#test/support/until.ts'
import type { Launched, RuntimeKind } from '../launch/launch.ts'
import { WarmPool } from './warm-pool.ts'

const node = (version: string): RuntimeKind => ({ runtime: 'node', version, memoryMb: 1024 })

function setUp(t: TestContext) {
  const clock = createTestClock()
  /** The versions of those that wait. */
  const waiting: string[] = []
  const pool = new WarmPool({
    launch: async ({ version }) => {
      waiting.push(version)
      const ended = Promise.withResolvers<void>()
      const kill = () => {
        waiting.splice(waiting.indexOf(version), 1)
        ended.resolve()
      }
      return { exit: ended.promise, kill } as unknown as Launched
    },
    ...{ size: 2, urgent: () => false, clock, log: silentLog },
  })
  t.after(() => pool.close())
  const take = (version: string) => {
    if (pool.take(node(version))) waiting.splice(waiting.indexOf(version), 1)
  }
  return { pool, clock, waiting, take }
}

test('nothing waits before something was asked for', async (t) => {
  const { pool, waiting } = setUp(t)
  await pool.fill([])
  assert.deepEqual(waiting, [])
})

test('two wait of the kind that was asked for last, and at least one of each other in use', async (t) => {
  const { pool, waiting, take } = setUp(t)
  await pool.fill([node('20.x'), node('24.x')])
  assert.deepEqual(waiting.toSorted(), ['20.x', '24.x', '24.x'])
  take('20.x')
  await until(() => waiting.length === 4)
  assert.deepEqual(waiting.toSorted(), ['20.x', '20.x', '24.x', '24.x'])
})

test('of kinds that nobody uses any more none waits, but for the last', async (t) => {
  const { pool, clock, waiting } = setUp(t)
  await pool.fill([node('20.x'), node('24.x')])
  clock.advance(11 * 60_000)
  pool.trim()
  assert.deepEqual(waiting, ['24.x', '24.x'])
})
