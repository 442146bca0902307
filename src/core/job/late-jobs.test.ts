import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import { lateJobs } from './late-jobs.ts'
import { recurringKey } from './recurring-key.ts'

const NOW = Date.UTC(2030, 0, 1)
const handlers = [{ kind: 'renew', every: HOUR }, { kind: 'mail' }]
const scheduled = (dueAt: number) => [
  { id: 'job_1', key: recurringKey('renew'), createdAt: NOW, dueAt, attempts: 0, isLeased: false },
]
const stateAt = (dueAt: number) => lateJobs(handlers, scheduled(dueAt), NOW).map(({ state }) => state)

test('a job that comes round is late when it was due long ago, or is due later than it comes round', () => {
  assert.deepEqual(stateAt(NOW), [])
  assert.deepEqual(stateAt(NOW + HOUR), [])
  assert.deepEqual(stateAt(NOW - 10 * MINUTE), [])
  assert.deepEqual(stateAt(NOW - 20 * MINUTE), ['overdue'])
  assert.deepEqual(stateAt(NOW + DAY), ['far off'])
})

test('a job that nobody put into the queue is missing', () => {
  assert.deepEqual(lateJobs(handlers, [], NOW), [{ kind: 'renew', dueAt: null, state: 'missing' }])
})
