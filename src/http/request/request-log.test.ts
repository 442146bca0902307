import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '#core/ports/log.ts'
import { RequestLog } from './request-log.ts'

function countingLog() {
  const children: object[] = []
  const lines: [string, object, string][] = []
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push([level, fields, message])
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => {
      children.push(fields)
      return log
    },
  }
  return { log, children, lines }
}

test('a request that logs nothing makes no child', () => {
  const { log, children } = countingLog()
  new RequestLog(log, 'req_1')
  assert.deepEqual(children, [])
})

test('all lines of a request go to one child that names it', () => {
  const { log, children, lines } = countingLog()
  const own = new RequestLog(log, 'req_1')
  for (const level of ['debug', 'info', 'warn', 'error'] as const) own[level]({ level }, level)
  assert.deepEqual(children, [{ request: 'req_1' }])
  assert.deepEqual(
    lines,
    ['debug', 'info', 'warn', 'error'].map((level) => [level, { level }, level]),
  )
  own.child({ job: 'j' })
  assert.deepEqual(children, [{ request: 'req_1' }, { job: 'j' }])
})
