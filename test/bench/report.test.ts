import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plot } from '../../bench/plot.ts'
import { merged, tableOf } from '../../bench/report.ts'
import { atLeast, atMost, beside, type Row } from '../../bench/row.ts'

const [first, explained, last]: [Row, Row, Row] = [
  atLeast('P2', 'served', 0.5, 0.8),
  beside('', 'the same, otherwise', 0.6),
  atMost('P11', 'made', 2, 3),
]

test('what was measured again takes the place of what was, with the lines that explain it', () => {
  const again = atLeast('P2', 'served', 0.9, 0.8)
  assert.deepEqual(merged([last, first, explained], [again]), [again, last])
  assert.deepEqual(merged([], [last, first, explained]), [first, explained, last])
})

test('the table has a line for each row, and what it should be', () => {
  const lines = tableOf([first, explained, last]).split('\n')
  assert.equal(lines.length, 5)
  assert.match(lines[2] as string, /P2 \| served \| 0\.50 × .* ≥ 0\.8 × \| missed/)
})

test('a bar passes the line when its target is met, whichever way is better', () => {
  const widths = (rows: Row[]) =>
    [...plot(rows).matchAll(/width="([\d.]+)" height="13"/g)].map(([, w]) => Number(w))
  const [missed = 0, met = 0] = widths([first, explained, last])
  assert.equal(widths([first, explained, last]).length, 2)
  assert.ok(missed < 200 && met > 200)
})
