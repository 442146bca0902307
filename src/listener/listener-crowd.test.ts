import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { Crowd } from './listener-crowd.ts'

test('quiet connections make room before anybody is refused, and refusals are told once a minute', async () => {
  const log = createRecordingLog()
  let relieved = 0
  const crowd = new Crowd({ most: 10, relieve: () => relieved++, log })
  assert.equal(crowd.admits(7, 0), true)
  assert.equal(relieved, 0)
  for (const now of [0, 100, 499, 500]) assert.equal(crowd.admits(9, now), true)
  assert.equal(relieved, 2)
  for (let now = 1000; now < 61_000; now += 100) assert.equal(crowd.admits(10, now), false)
  assert.equal(crowd.admits(10, 61_000), false)
  const told = log.entries.filter(({ message }) => /connections are refused/.test(message))
  assert.deepEqual(
    told.map(({ fields }) => (fields as { refused: number }).refused),
    [1, 600],
  )
})
