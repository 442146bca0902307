import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PathSketch, SKETCHED_PATHS } from './path-sketch.ts'

const visit = { status: 200, ms: 1, bytes: 1 }
const countsOf = (sketch: PathSketch) =>
  new Map([...sketch.tallies()].map(({ path, tally }) => [path, tally[0] as number]))

it('counts paths without their query, and long ones by their beginning', () => {
  const sketch = new PathSketch()
  for (const target of ['/a', '/a?token=1', `/${'x'.repeat(300)}`, `/${'x'.repeat(400)}?y`])
    sketch.count(target, visit)
  assert.deepEqual(
    [...countsOf(sketch)],
    [
      ['/a', 2],
      [`/${'x'.repeat(199)}…`, 2],
    ],
  )
})

it('keeps what is visited often among any number of others, and counts nothing too high', () => {
  const sketch = new PathSketch()
  const visits = new Map<string, number>()
  for (let i = 0; i < 20_000; i++) {
    const path = i % 5 === 0 ? '/busy' : `/scan/${i}`
    visits.set(path, (visits.get(path) ?? 0) + 1)
    sketch.count(path, visit)
  }
  const counts = countsOf(sketch)
  assert.equal(counts.size, SKETCHED_PATHS)
  assert.equal(counts.get('/busy'), 4000)
  for (const [path, count] of counts) assert.ok(count <= (visits.get(path) ?? 0))
})

it('does not count a path that comes again for the one that took its place', () => {
  const sketch = new PathSketch()
  const targets = Array.from({ length: 2 * SKETCHED_PATHS }, (_, n) => `/${n}`)
  // Each twice in a row, and all of them again.
  for (const target of [...targets, ...targets]) for (let n = 0; n < 2; n++) sketch.count(target, visit)
  for (const count of countsOf(sketch).values()) assert.ok(count <= 4)
  const [last] = targets.slice(-1) as [string]
  for (let n = 0; n < 5; n++) sketch.count(`${last}?${n}`, visit)
  for (const [path, count] of countsOf(sketch)) assert.ok(count <= (path === last ? 9 : 4), path)
})
