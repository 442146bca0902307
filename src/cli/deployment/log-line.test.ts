import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogEvent } from '#client/log-events.ts'
import { logLine } from './log-line.ts'

const plain = (text: string) => text
const colors = { dim: plain, red: (text: string) => `<${text}>` } as unknown as Parameters<typeof logLine>[1]

test('what a program wrote as an error is told apart', () => {
  const payload = {
    ...{ deploymentId: 'dpl_1', text: 'it failed', id: '1', date: 1000, serial: '1' },
    info: { type: 'lambda', name: 'i1', entrypoint: 'api/index' },
  } as const
  const event: LogEvent = { type: 'stdout', created: 1000, payload }
  assert.equal(logLine(event, colors), '1970-01-01 00:00:01.000  stdout    it failed')
  assert.equal(
    logLine({ ...event, payload: { ...payload, level: 'error' } }, colors),
    '1970-01-01 00:00:01.000  stderr    <it failed>',
  )
})
