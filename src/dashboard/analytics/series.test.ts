import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrafficPoint } from '#contract/api/analytics.ts'
import { CHARTS, type ChartKind, heightsOf, summaryOf } from './series.ts'

const point = (at: number, ok: number, failed: number): TrafficPoint => ({
  at,
  requests: ok + failed,
  status: { '2xx': ok, '3xx': 0, '4xx': 0, '5xx': failed },
  bytes: 0,
  coldStarts: 0,
  p50: 1,
  p95: 2,
  p99: 3,
})
const POINTS = [point(1, 5, 1), point(2, 7, 3)]
const [requests, durations, , coldStarts] = CHARTS as readonly [ChartKind, ChartKind, ChartKind, ChartKind]

test('parts of a whole are added up, the whole first', () => {
  assert.deepEqual(heightsOf(requests, POINTS), [
    [6, 10],
    [5, 7],
    [5, 7],
    [5, 7],
  ])
  assert.deepEqual(heightsOf(durations, POINTS), [
    [1, 1],
    [2, 2],
    [3, 3],
  ])
})

test('a chart is said in a sentence', () => {
  const at = ({ at }: TrafficPoint) => `point ${at}`
  assert.equal(summaryOf(requests, POINTS, at), 'Requests: peak of 10 at point 2.')
  assert.equal(summaryOf(durations, POINTS, at), 'Latency: peak of 3 ms at point 1.')
  assert.equal(summaryOf(coldStarts, POINTS, at), 'Cold starts: none in this period.')
})
