import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Histogram, Registry } from 'prom-client'
import { RequestTally } from './request-tally.ts'

const request = { route: '/v1/a', method: 'GET', status: 200 }

it('counts requests by route, method and status', () => {
  const tally = new RequestTally()
  for (const status of [200, 200, 404]) tally.observe({ ...request, status, seconds: 0.1 })
  tally.observe({ ...request, method: 'POST', seconds: 0.1 })
  assert.deepEqual(tally.requests(), [
    { labels: { route: '/v1/a', method: 'GET', status: 200 }, value: 2 },
    { labels: { route: '/v1/a', method: 'GET', status: 404 }, value: 1 },
    { labels: { route: '/v1/a', method: 'POST', status: 200 }, value: 1 },
  ])
})

it('has the same histogram as prom-client would make', async () => {
  const tally = new RequestTally()
  const histogram = new Histogram({
    name: 'took',
    help: 'it took',
    labelNames: ['route', 'method'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [new Registry()],
  })
  for (const seconds of [0, 0.001, 0.0011, 0.3, 9.9, 10, 10.5, 60]) {
    tally.observe({ ...request, seconds })
    histogram.observe({ route: '/v1/a', method: 'GET' }, seconds)
  }
  const { values } = await histogram.get()
  assert.deepEqual(
    tally.seconds('took'),
    values.map(({ metricName, labels, value }) => ({ metricName, labels, value })),
  )
})

it('counts methods that somebody made up as one', () => {
  const tally = new RequestTally()
  for (let n = 0; n < 1000; n++) tally.observe({ ...request, method: `MADE-UP-${n}`, seconds: 0.1 })
  assert.deepEqual(tally.requests(), [
    { labels: { route: '/v1/a', method: 'other', status: 200 }, value: 1000 },
  ])
})
