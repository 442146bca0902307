import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogEvent } from '#client/follow/log-events.ts'
import { localTime } from '../../output/local-time.ts'
import { logLine, logLines } from './log-line.ts'

const plain = (text: string) => text
const colors = { dim: plain, red: (text: string) => `<${text}>` } as unknown as Parameters<typeof logLine>[1]

const event = (type: LogEvent['type'], text: string, at: number, more = {}): LogEvent => ({
  type,
  created: at,
  payload: {
    ...{ deploymentId: 'dpl_1', text, id: String(at), date: at, serial: String(at) },
    info: { type: 'lambda', name: 'i1', entrypoint: 'api/index' },
    ...more,
  },
})

test('times are those of the reader’s own clock', () => {
  const at = Date.UTC(2026, 10, 16, 14, 3, 22, 41)
  const local = new Date(at)
  assert.match(localTime(at), /^2026-11-1[567] \d\d:03:22\.041$/)
  assert.equal(localTime(at).slice(11, 13), String(local.getHours()).padStart(2, '0'))
})

test('what a program wrote as an error is told apart', () => {
  assert.equal(logLine(event('stdout', 'it works', 1000), colors), `${localTime(1000)}  it works`)
  assert.equal(
    logLine(event('stdout', 'it failed', 1000, { level: 'error' }), colors),
    `${localTime(1000)}  <stderr> <it failed>`,
  )
})

test('a request is one line, with what was written during it below, in the order of the requests', () => {
  const entries = [
    event('request', 'GET /a', 1, { requestId: 'a' }),
    event('request', 'GET /b', 2, { requestId: 'b' }),
    event('stdout', 'from b', 3, { requestId: 'b' }),
    event('response', 'GET /b 200 2 ms', 4, { requestId: 'b' }),
    event('stdout', 'from a', 5, { requestId: 'a' }),
    event('stdout', 'nobody asked', 6),
    event('response', 'GET /a 500 6 ms', 7, { requestId: 'a' }),
  ]
  assert.deepEqual(
    logLines(entries, colors).map((line) => line.slice(25)),
    ['<GET /a 500 6 ms>', '  │ from a', 'GET /b 200 2 ms', '  │ from b', 'nobody asked'],
  )
  assert.equal(
    logLines(entries, colors)[0]?.slice(0, 23),
    localTime(1),
    'a request has the time at which it began',
  )
})

test('frames of the launcher are folded', () => {
  const lines = [
    'Error: no',
    '    at mine (/app/api/x.js:1:1)',
    '    at a (/aloft/launcher/node/main.cjs:1:1)',
    '    at b (/aloft/launcher/node/server.cjs:2:2)',
    '    at AsyncLocalStorage.run (node:internal/async_local_storage:65:14)',
    '    at c (/aloft/launcher/node/server.cjs:3:3)',
    '    at Server.emit (node:events:514:28)',
  ]
  const entries = [
    ...lines.map((text, i) => event('stdout', text, i + 1, { requestId: 'a', level: 'error' })),
    event('response', 'GET /a 500 6 ms', 7, { requestId: 'a' }),
  ]
  const shown = logLines(entries, colors)
  assert.equal(shown.length, 4)
  assert.match(shown.at(-1) ?? '', /… 5 frames of Aloft and Node.js$/)
})
