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
