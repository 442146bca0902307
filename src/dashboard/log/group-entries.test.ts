import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectLogEntry } from '#contract/api/project-log.ts'
import { groupEntries } from './group-entries.ts'
import { toFilter } from './log-filter.ts'

const entry = (given: Partial<ProjectLogEntry>) => given as ProjectLogEntry

test('lines stand under the visit during which they were written, each once', () => {
  const rows = groupEntries([
    entry({ id: '5', type: 'stdout', text: 'alone' }),
    entry({ id: '4', type: 'request', requestId: 'r1' }),
    entry({ id: '3', type: 'stderr', requestId: 'r1', text: 'second' }),
    entry({ id: '2', type: 'stdout', requestId: 'r1', text: 'first' }),
    entry({ id: '4', type: 'request', requestId: 'r1' }),
    entry({ id: '1', type: 'stdout', requestId: 'r0', text: 'its visit is not here' }),
  ])
  assert.deepEqual(
    rows.map((row) => ('request' in row ? row.lines.map(({ text }) => text) : row.line.text)),
    ['alone', ['first', 'second'], 'its visit is not here'],
  )
})

test('the words of an address become what the API is asked for', () => {
  const nothing = {
    text: '',
    path: '',
    status: '',
    level: '',
    type: '',
    deployment: '',
    target: '',
    range: '',
  }
  assert.deepEqual(toFilter(nothing, 0), {})
  assert.deepEqual(toFilter({ ...nothing, text: ' oops ', status: '5xx', range: '1h' }, 3_600_001), {
    q: 'oops',
    status: '5xx',
    since: '1',
  })
})
