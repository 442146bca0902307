import assert from 'node:assert/strict'
import { it } from 'node:test'
import { systemClock } from '#core/ports/system-clock.ts'
import { entriesOfVisit } from './logged-visit.ts'
import { sampleVisit } from './logged-visit-testing.ts'
import { createVisitLog } from './write/visit-log.ts'

it('makes a request at the arrival and a response at the end of a visit', () => {
  const common = {
    deploymentId: 'dpl_a',
    info: { type: 'static', name: 'a.aloft.test', entrypoint: '404.html' },
    region: 'iad1',
    requestId: 'req_1',
  }
  const request = {
    method: 'GET',
    uri: '/docs?page=2',
    protocol: 'HTTP/1.1',
    remoteAddr: '192.0.2.1',
    userAgent: 'curl/8',
    host: 'a.aloft.test',
  }
  assert.deepEqual(Object.values(entriesOfVisit(sampleVisit(), 'iad1')), [
    { ...common, type: 'request', at: 1_700_000_000_000, text: 'GET /docs?page=2', request },
    {
      ...common,
      type: 'response',
      at: 1_700_000_000_013,
      text: 'GET /docs?page=2 404 13ms',
      request: { ...request, status: 404, bodyBytesSent: 345, ms: 13, answeredBy: 'error' },
      projectId: 'prj_1',
      environment: 'production',
    },
  ])
})

it('says of a visit that failed why, and of one that waited for an instance that it did', () => {
  const { response } = entriesOfVisit(
    sampleVisit({ status: 504, coldStart: true, reason: 'FUNCTION_INVOCATION_TIMEOUT' }),
    'iad1',
  )
  assert.equal(response.text, 'GET /docs?page=2 504 13ms FUNCTION_INVOCATION_TIMEOUT')
  assert.equal(response.request?.coldStart, true)
})

it('is counted and recorded', () => {
  const seen: unknown[] = []
  createVisitLog({
    writer: { record() {}, recordVisit: (visit, region) => seen.push([visit, region]) },
    clock: systemClock,
    region: 'iad1',
    traffic: { record: (visit) => seen.push(visit) },
  }).record(sampleVisit())
  assert.deepEqual(seen, [sampleVisit(), [sampleVisit(), 'iad1']])
})
