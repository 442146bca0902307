import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPace } from './pace.ts'

test('bytes beyond what passes in a second wait for their turn, and what was not used is not saved up', async () => {
  let time = 5000
  const slept: number[] = []
  const sleep = async (ms: number) => void slept.push(ms)
  const pace = createPace({ bytesPerSecond: 1000, momentMs: 100, now: () => time, sleep })
  await pace(100)
  assert.deepEqual(slept, [])
  await pace(400)
  assert.deepEqual(slept, [400])
  await pace(100)
  assert.deepEqual(slept, [400, 500])
  time += 60_000
  await pace(100)
  assert.deepEqual(slept, [400, 500])
  await pace(1)
  assert.deepEqual(slept, [400, 500, 1])
})
