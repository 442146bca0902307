import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plot, plotCurve } from '../../bench/report/plot.ts'
import { keptOf, merged, middleOfRuns, reportOf, tableOf } from '../../bench/report/report.ts'
import { atLeast, atMost, beside, type Row } from '../../bench/report/row.ts'

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

test('what another machine measured is not kept', () => {
  const report = reportOf([first])
  assert.deepEqual(keptOf(report, reportOf([last])), [first])
  assert.deepEqual(keptOf({ ...report, machine: 'another' }, reportOf([last])), [])
})

test('of several runs, each row is the one in the middle, and says what every run measured', () => {
  const runs = [0.9, 0.5, 0.7].map((ratio) => reportOf([atLeast('P2', 'served', ratio, 0.8), last]))
  const [served, made] = middleOfRuns(runs).rows
  assert.deepEqual([served?.measured, served?.met], ['0.70 ×', false])
  assert.deepEqual(served?.runs, ['0.90 ×', '0.50 ×', '0.70 ×'])
  assert.equal(made?.measured, last.measured)
  const disturbed = reportOf([atLeast('P2', 'served, while others had 6% of the machine', 0.6, 0.8), last])
  assert.equal(middleOfRuns([...runs.slice(0, 2), disturbed]).rows[0]?.measured, '0.60 ×')
  const waits = [30.8, 24.8, 9.5].map((ms) => ({ ...last, what: `wait beside ${ms}`, measured: `${ms} ms` }))
  const [wait] = middleOfRuns(waits.map(({ chart: _, ...row }) => reportOf([row]))).rows
  assert.equal(wait?.measured, '24.8 ms')
  const worse = middleOfRuns([1, 3].map((ratio) => reportOf([atMost('P11', 'made', ratio, 2)])))
  assert.equal(worse.rows[0]?.measured, '3.00 ×')
  const [one, other] = runs.map((run, index) => ({ ...run, machine: `machine ${index}` }))
  assert.throws(() => middleOfRuns([one, other].flatMap((run) => run ?? [])), /different machines/)
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

test('a curve goes over all of its width, whatever was counted, and higher is more', () => {
  const points = [
    [10, 100],
    [20, 200],
  ] as const
  const lines = [{ label: 'requests', points }]
  const svg = plotCurve({ name: 'memory', title: 'Memory', unit: 'MB', lines })
  const [, drawn = ''] = /<polyline points="([^"]+)"/.exec(svg) ?? []
  const [first = [], second = []] = drawn.split(' ').map((point) => point.split(',').map(Number))
  assert.equal(second[0], 880)
  assert.ok((first[1] ?? 0) > (second[1] ?? 0))
  assert.match(svg, /0 to 20 requests/)
})
