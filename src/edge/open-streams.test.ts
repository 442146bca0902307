import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenStreams } from './open-streams.ts'

test('of many streams few are asked about at a time, each once a minute and until it is over', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const streams = new OpenStreams()
  const asked = Array.from({ length: 600 }, () => 0)
  const ends = asked.map((_, index) =>
    streams.add(
      () => {},
      async () => {
        asked[index] = (asked[index] ?? 0) + 1
        return true
      },
    ),
  )
  const sum = () => asked.reduce((all, one) => all + one, 0)
  for (let second = 1; second <= 60; second++) {
    t.mock.timers.tick(1000)
    assert.equal(sum(), second * 10)
  }
  assert.ok(asked.every((times) => times === 1))
  for (const end of ends.slice(1)) end()
  t.mock.timers.tick(60_000)
  assert.equal(sum(), 601)
  ends[0]?.()
  streams.add(() => {})()
  t.mock.timers.tick(60_000)
  assert.equal(sum(), 601)
})
