import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sampleDrain } from '#test/support/samples.ts'
import type { LogEntry } from '../log/log-entry.ts'
import type { Drain } from './drain.ts'
import { sourceOf, toItem } from './drain-item.ts'
import { formatItem, joinItems } from './format-batch.ts'
import { isForDrain, isSampled } from './is-for-drain.ts'

const entry = (given: Partial<LogEntry> = {}): LogEntry => ({
  id: '170000000000000000000001',
  serial: '1700000000000000000',
  createdAt: 1_700_000_000_000,
  deploymentId: 'dpl_a',
  type: 'stdout',
  at: 1_700_000_000_000,
  text: 'hello',
  info: { type: 'lambda', name: 'i1', entrypoint: 'api.js' },
  region: 'iad1',
  ...given,
})

const request = {
  method: 'GET',
  uri: '/a?b',
  protocol: 'HTTP/1.1',
  remoteAddr: '192.0.2.1',
  userAgent: 'curl/8',
  host: 'a.aloft.test',
  status: 503,
}

const deployment = {
  ownerId: 'anna',
  projectId: 'prj_a',
  host: 'own.aloft.test',
  environment: 'preview',
} as const

const drain = sampleDrain({ id: 'ld_a', ownerId: 'anna' })

it('names what answered, and how bad it was', () => {
  assert.equal(sourceOf(entry()), 'lambda')
  assert.equal(sourceOf(entry({ info: { type: 'instance', name: '', entrypoint: '' } })), 'lambda')
  assert.equal(sourceOf(entry({ request: { ...request, answeredBy: 'proxy' } })), 'external')
  assert.equal(sourceOf(entry({ request: { ...request, answeredBy: 'redirect' } })), 'edge')
  const levels = [200, 404, 503].map(
    (status) => toItem(entry({ request: { ...request, status } }), deployment, 'http').level,
  )
  assert.deepEqual(levels, ['info', 'warning', 'error'])
})

it('tells of a visit by the host that was visited, of everything else by that of the deployment', () => {
  assert.equal(toItem(entry({ request }), deployment, 'http').host, 'a.aloft.test')
  const item = toItem(entry(), deployment, 'http')
  assert.equal(item.host, 'own.aloft.test')
  assert.ok(!('proxy' in item))
})

it('wants what all filters let through', () => {
  const wanted = (given: Partial<Drain>, e = entry()) =>
    isForDrain({ ...drain, ...given }, undefined, e, deployment)
  assert.ok(wanted({}))
  assert.ok(!wanted({ ownerId: 'ben' }))
  assert.ok(!wanted({}, entry({ type: 'request', request })))
  assert.ok(wanted({ projectIds: ['prj_a'] }))
  assert.ok(!wanted({ projectIds: ['prj_b'] }))
  assert.ok(!wanted({ environments: ['production'] }))
  assert.ok(wanted({ sources: ['lambda'], environments: ['preview'] }))
  assert.ok(!wanted({ sources: ['static', 'build'] }))
  const reach = { projectSelection: 'selected', projects: ['prj_b'] } as never
  assert.ok(!isForDrain(drain, reach, entry(), deployment))
})

it('takes a share, alike for all that belongs together', () => {
  const ids = Array.from({ length: 4000 }, (_, i) => `req_${i}`)
  const share = ids.filter((requestId) => isSampled(0.3, entry({ requestId }))).length / ids.length
  assert.ok(share > 0.25 && share < 0.35, String(share))
  for (const requestId of ids.slice(0, 50))
    assert.equal(
      isSampled(0.5, entry({ requestId, id: '1' })),
      isSampled(0.5, entry({ requestId, id: '2', text: 'other' })),
    )
})

it('writes one line of syslog, whatever is in it', () => {
  const text = 'a\r\nb\u0000c\u001b[31m\u2028 ü'
  const line = formatItem('syslog', toItem(entry({ text, requestId: 'req 1\n' }), deployment, 'http'))
  assert.equal(
    line,
    '<134>1 2023-11-14T22:13:20.000Z own.aloft.test lambda req1 stdout [aloft@32473 id="170000000000000000000001" deploymentId="dpl_a" projectId="prj_a" environment="preview" entrypoint="api.js"] a#015#012b#000c#033[31m#20050 ü',
  )
  const visit = toItem(
    entry({ request: { ...request, uri: '/"\\]' }, info: { type: 'static', name: '', entrypoint: '' } }),
    deployment,
    'https',
  )
  assert.match(formatItem('syslog', visit), /^<131>1 .* path="\/\\"\\\\\\\]" statusCode="503" /)
})

it('makes bodies of any number of items', () => {
  assert.equal(joinItems('json', []), '[]')
  assert.equal(joinItems('json', ['1', '2']), '[1,2]')
  assert.equal(joinItems('ndjson', ['1', '2']), '1\n2\n')
  assert.equal(joinItems('syslog', []), '')
})

it('says what a program wrote as an error', () => {
  const { type, level } = toItem(entry({ stream: 'stderr' }), deployment, 'http')
  assert.deepEqual({ type, level }, { type: 'stderr', level: 'error' })
})
