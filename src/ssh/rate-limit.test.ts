import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRateLimit } from './rate-limit.ts'

test('bytes beyond what passes in a second wait for their turn, and what was not used is not saved up', async () => {
  let time = 5000
  const slept: number[] = []
  const sleep = async (ms: number) => {
    slept.push(ms)
    time += ms
  }
  const pace = createRateLimit({ bytesPerSecond: 1000, momentMs: 100, now: () => time, sleep })
  assert.equal(pace('ada', 100), undefined)
  assert.equal(pace('ada', 400), undefined)
  await pace('ada', 100)
  assert.deepEqual(slept, [400])
  await pace('ada', 100)
  assert.deepEqual(slept, [400, 100])
  time += 60_000
  assert.equal(pace('ada', 200), undefined)
  await pace('ada', 1)
  assert.deepEqual(slept, [400, 100, 100])
})

test('those who wait take turns, whoever brings how much', async () => {
  let time = 5000
  const sleep = async (ms: number) => {
    time += ms
  }
  const pace = createRateLimit({ bytesPerSecond: 1000, momentMs: 100, now: () => time, sleep })
  pace('ada', 1000)
  const passed: string[] = []
  const wait = (key: string) => pace(key, 1000)?.then(() => passed.push(key))
  await Promise.all(['ada', 'ada', 'ada', 'ben', 'ben', 'cyd'].map(wait))
  assert.deepEqual(passed, ['ada', 'ben', 'cyd', 'ada', 'ben', 'ada'])
})
