import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { LogEntry } from '#core/log/log-entry.ts'
import { assertGolden } from '#test/support/golden.ts'
import * as current from './current.ts'
import * as legacy from './legacy.ts'

const common = { deploymentId: 'dpl_000000000000000000000000000a', region: 'iad1' }
const request = {
  method: 'GET',
  uri: '/docs?page=2',
  protocol: 'HTTP/1.1',
  remoteAddr: '192.0.2.1',
  userAgent: 'curl/8',
  host: 'a.aloft.test',
}
const info = { type: 'static', name: 'a.aloft.test', entrypoint: 'docs.html' } as const

const entries: readonly LogEntry[] = [
  {
    ...common,
    id: '170000000000000000000001',
    serial: '1700000000013000000',
    createdAt: 1_700_000_000_013,
    at: 1_700_000_000_000,
    type: 'request',
    text: 'GET /docs?page=2',
    info,
    request,
  },
  {
    ...common,
    id: '170000000000000000000002',
    serial: '1700000000013000001',
    createdAt: 1_700_000_000_013,
    at: 1_700_000_000_013,
    type: 'response',
    text: 'GET /docs?page=2 404 13ms',
    info,
    request: { ...request, status: 404, bodyBytesSent: 345 },
  },
  {
    ...common,
    id: '170000000000000000000003',
    serial: '1700000000014000000',
    createdAt: 1_700_000_000_014,
    at: 1_700_000_000_014,
    type: 'command',
    text: 'npm run build',
    info: { type: 'build', name: 'bld_000000001', entrypoint: 'package.json' },
  },
  {
    ...common,
    id: '170000000000000000000004',
    serial: '1700000000015000000',
    createdAt: 1_700_000_000_015,
    at: 1_700_000_000_015,
    type: 'stdout',
    text: 'listening',
    info: { type: 'instance', name: 'a', entrypoint: 'server.js' },
    instanceId: 'abcdefghijklmnopqrstuvwx',
  },
]

it('shows the current form', () => {
  const shown = current.entries(entries)
  assertGolden('log/current', shown)
  assert.equal(shown[0]?.created, 1_700_000_000_013)
  assert.equal(shown[0]?.payload.date, 1_700_000_000_000)
  assert.equal(shown[0]?.payload.id, '170000000000000000000001')
})

it('shows the older form', () => {
  const shown = legacy.entries('docs')(entries)
  assertGolden('log/legacy', shown)
  assert.equal(shown.logs[0]?.created, '2023-11-14T22:13:20.013Z')
  assert.equal(shown.logs[0]?.date, '2023-11-14T22:13:20.000Z')
  assert.equal(shown.logs[0]?.id, 'log_170000000000000000000001')
})

it('an error that a program wrote is of the type stdout, and told apart by its level', () => {
  const [shown] = current.entries([{ ...(entries[3] as LogEntry), stream: 'stderr' }])
  assert.equal(shown?.type, 'stdout')
  assert.equal(shown?.payload.level, 'error')
})
