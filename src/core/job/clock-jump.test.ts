import assert from 'node:assert/strict'
import { it } from 'node:test'
import { rightDueAt, type ScheduledJob } from './clock-jump.ts'

const NOW = 1_700_000_000_000
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
const rules = { leaseMs: 30_000, every: new Map([['recurring:renew', HOUR]]) }
const job = (given: Partial<ScheduledJob>): ScheduledJob => ({
  id: 'job_1',
  key: null,
  createdAt: NOW - HOUR,
  dueAt: NOW,
  attempts: 0,
  isLeased: false,
  ...given,
})

const cases: readonly (readonly [string, Partial<ScheduledJob>, number])[] = [
  ['a job for later stays', { dueAt: NOW + 30 * DAY }, NOW + 30 * DAY],
  ['a job that is due stays', { dueAt: NOW - HOUR }, NOW - HOUR],
  [
    'what comes round is never due later than it does',
    { key: 'recurring:renew', dueAt: NOW + 9 * DAY },
    NOW + HOUR,
  ],
  [
    'what comes round stays when it is due in time',
    { key: 'recurring:renew', dueAt: NOW + MINUTE },
    NOW + MINUTE,
  ],
  ['a job of the future is due now', { createdAt: NOW + 5 * DAY, dueAt: NOW + 5 * DAY }, NOW],
  ['and keeps its distance', { createdAt: NOW + DAY, dueAt: NOW + DAY + HOUR }, NOW + HOUR],
  ['clocks may differ a little', { createdAt: NOW + 30_000, dueAt: NOW + 30_000 }, NOW + 30_000],
  ['a lease ends soon', { isLeased: true, dueAt: NOW + DAY }, NOW + 30_000 + MINUTE],
  ['a lease that ends in time stays', { isLeased: true, dueAt: NOW + 20_000 }, NOW + 20_000],
  [
    'also where whoever made the job is far ahead',
    { isLeased: true, createdAt: NOW + HOUR, dueAt: NOW + 20_000 },
    NOW + 20_000,
  ],
  ['nobody waits for a week to try again', { attempts: 2, dueAt: NOW + 7 * DAY }, NOW + DAY],
  ['nor less than was said', { attempts: 2, dueAt: NOW + HOUR }, NOW + HOUR],
]
for (const [name, given, expected] of cases)
  it(name, () => assert.equal(rightDueAt(job(given), NOW, rules), expected))
