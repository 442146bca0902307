import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withMeasure, withTable } from './reliability-table.ts'

const tally = { ok: 2, failed: 1 }
const row = (name: string, lost: number) => ({
  ...{ name, lost, seconds: 1.25, visits: tally, api: tally, sockets: { ok: 0, failed: 0 } },
})

test('a run replaces its own rows and leaves others, and what is around the table', () => {
  const page = 'before\n<!-- written by npm run test:faults -- --write -->\n<!-- end -->\nafter\n'
  const first = withTable(page, [row('3 random kills on SQLite (1 × work)', 0), row('a disk', 0)])
  const again = withTable(first, [row('5 random kills on SQLite (2 × work)', 4)])
  const lines = again.split('\n').filter((line) => line.startsWith('| '))
  assert.deepEqual(lines.slice(2), [
    '| 5 random kills on SQLite (2 × work) | 2 / 1 | 2 / 1 | – | 4 | 1.3 |',
    '| a disk | 2 / 1 | 2 / 1 | – | 0 | 1.3 |',
  ])
  assert.ok(again.startsWith('before\n') && again.endsWith('\nafter\n'))
})

test('what is measured once is replaced by the next run of the same kind', () => {
  const page = `<!-- measured by npm run test:faults and npm run test:restart -- --write -->\n<!-- end -->\nafter\n`
  const first = withMeasure(page, '100,000 requests during restarts (two cores)', '1 failed')
  const both = withMeasure(first, 'restore of files (10240 MB)', '170 MB')
  const again = withMeasure(both, '110,880 requests during restarts (two cores)', '0 failed')
  assert.deepEqual(again.split('\n').slice(1, -2), [
    '| What | Measured |',
    '| --- | --- |',
    '| 110,880 requests during restarts (two cores) | 0 failed |',
    '| restore of files (10240 MB) | 170 MB |',
    '<!-- end -->',
  ])
})
