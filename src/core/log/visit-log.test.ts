import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { SiteVisit } from '../site/site.ts'
import type { LogDraft } from './log-entry.ts'
import { createVisitLog } from './visit-log.ts'

const visit: SiteVisit = {
  id: 'req_1',
  at: 1_700_000_000_000,
  deploymentId: 'dpl_a',
  ownerId: 'owner',
  projectId: 'prj_1',
  environment: 'production',
  host: 'a.aloft.test',
  method: 'GET',
  path: '/docs?page=2',
  protocol: 'HTTP/1.1',
  status: 404,
  ms: 12.6,
  bytes: 345,
  ip: '192.0.2.1',
  userAgent: 'curl/8',
  source: 'error',
  entrypoint: '404.html',
}

it('makes a request at the arrival and a response at the end of a visit', () => {
  const drafts: LogDraft[] = []
  createVisitLog({ writer: { record: (draft) => drafts.push(draft) }, region: 'iad1' }).record(visit)
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
  assert.deepEqual(drafts, [
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
  const drafts: LogDraft[] = []
  const counted: SiteVisit[] = []
  const failed = { ...visit, status: 504, coldStart: true, reason: 'FUNCTION_INVOCATION_TIMEOUT' }
  createVisitLog({
    writer: { record: (draft) => drafts.push(draft) },
    region: 'iad1',
    traffic: { record: (seen) => counted.push(seen) },
  }).record(failed)
  assert.equal(drafts[1]?.text, 'GET /docs?page=2 504 13ms FUNCTION_INVOCATION_TIMEOUT')
  assert.equal(drafts[1]?.request?.coldStart, true)
  assert.deepEqual(counted, [failed])
})
