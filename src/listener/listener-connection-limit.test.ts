import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { ConnectionLimit } from './listener-connection-limit.ts'

test('quiet connections make room before anybody is refused, and refusals are told once a minute', async () => {
  const log = createRecordingLog()
  let relieved = 0
  const crowd = new ConnectionLimit({ most: 10, relieve: () => relieved++, log })
  assert.equal(crowd.admits(7, 0, 0), true)
  assert.equal(relieved, 0)
  for (const now of [0, 100, 499, 500]) assert.equal(crowd.admits(9, 0, now), true)
  assert.equal(relieved, 2)
  for (let now = 1000; now < 61_000; now += 100) assert.equal(crowd.admits(10, 0, now), false)
  assert.equal(crowd.admits(10, 0, 61_000), false)
  const told = log.entries.filter(({ message }) => /connections are refused/.test(message))
  assert.deepEqual(
    told.map(({ fields }) => (fields as { refused: number }).refused),
    [1, 600],
  )
})

test('whoever has a quarter of all connections leaves the last of them to others', () => {
  const crowd = new ConnectionLimit({ most: 100, relieve: () => {}, log: createRecordingLog() })
  assert.equal(crowd.admits(79, 79, 0), true, 'as long as there is room for everybody')
  assert.equal(crowd.admits(80, 79, 0), false)
  assert.equal(crowd.admits(80, 25, 0), false)
  assert.equal(crowd.admits(80, 24, 0), true)
  assert.equal(crowd.admits(99, 0, 0), true)
  assert.equal(crowd.admits(100, 0, 0), false)
})
