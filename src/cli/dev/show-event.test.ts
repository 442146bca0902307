import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOutput } from '../output/output.ts'
import { type ShownEvent, showEvent } from './show-event.ts'

const READY: ShownEvent = {
  ...{ type: 'ready', url: 'http://localhost:3000', others: [], port: 3000, ms: 12 },
  ...{ functions: 1, envFiles: [] },
}

/** What goes to stdout and to stderr for these events. */
function shown(events: readonly ShownEvent[], json = false): readonly [string, string] {
  const [result, talk]: [string[], string[]] = [[], []]
  const stdout = { write: (text: string) => result.push(text) }
  const stderr = { write: (text: string) => talk.push(text) }
  const out = createOutput({ stdout, stderr, env: {}, json })
  for (const event of events) showEvent(event, out, false)
  return [result.join(''), talk.join('')]
}

test('in a pipe the address is the result, and what happens is talk', () => {
  const [result, talk] = shown([READY, { type: 'request', method: 'GET', path: '/a', status: 200, ms: 3 }])
  assert.equal(result, 'http://localhost:3000\n')
  assert.match(talk, /Ready in 12 ms\n[\s\S]*\nGET {4}200 \/a 3 ms\n$/)
})

test('as JSON every event is a line, and nothing is said', () => {
  const [result, talk] = shown([READY, { type: 'debug', text: 'not asked for' }], true)
  assert.deepEqual([JSON.parse(result), talk], [READY, ''])
})

test('what programs write keeps its colours and cannot do more to a terminal', () => {
  const [, talk] = shown([{ type: 'log', from: 'api/a', text: '\u001b[32mgreen\u001b[2J\u0007' }])
  assert.equal(talk, 'api/a │ \u001b[32mgreen \u001b[0m\n')
})
