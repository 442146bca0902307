import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countRuns, nextRun, whyNotSchedule } from './cron-expression.ts'

const at = (text: string) => Date.parse(text)
const next = (schedule: string, after: string, zone = 'UTC') => {
  const found = nextRun(schedule, zone, at(after))
  return found === null ? null : new Date(found).toISOString()
}

test('schedules come round by UTC, or by the time zone that is named', () => {
  assert.equal(next('0 5 * * *', '2026-01-31T05:00:00Z'), '2026-02-01T05:00:00.000Z')
  assert.equal(next('*/15 * * * *', '2026-01-31T05:07:31Z'), '2026-01-31T05:15:00.000Z')
  assert.equal(next('30 8 * * 1', '2026-07-01T00:00:00Z', 'Europe/Paris'), '2026-07-06T06:30:00.000Z')
  assert.equal(next('0 0 29 2 *', '2026-01-01T00:00:00Z'), '2028-02-29T00:00:00.000Z')
})

test('a day with a changed clock has its run once', () => {
  const spring = ['2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z'] as const
  assert.equal(
    countRuns({ schedule: '30 2 * * *', timeZone: 'Europe/Paris' }, at(spring[0]), at(spring[1]), 9),
    2,
  )
  const autumn = ['2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z'] as const
  assert.equal(
    countRuns({ schedule: '30 2 * * *', timeZone: 'Europe/Paris' }, at(autumn[0]), at(autumn[1]), 9),
    2,
  )
})

test('what is missed is counted up to a bound', () => {
  const cron = { schedule: '* * * * *', timeZone: 'UTC' }
  assert.equal(countRuns(cron, at('2026-01-01T00:00:00Z'), at('2026-01-01T00:03:30Z'), 1000), 4)
  assert.equal(countRuns(cron, at('2026-01-01T00:00:00Z'), at('2036-01-01T00:00:00Z'), 1000), 1000)
})

const WRONG: readonly (readonly [string, string, RegExp])[] = [
  ['* * * *', 'UTC', /five fields/],
  ['* * * * * *', 'UTC', /five fields/],
  ['61 * * * *', 'UTC', /cannot be read/],
  ['a b c d e', 'UTC', /cannot be read/],
  ['@daily', 'UTC', /five fields/],
  ['0 0 31 2 *', 'UTC', /never matches a date/],
  ['0 0 31 4,6,9,11 *', 'UTC', /never matches a date/],
  ['0 0 * * *', 'Mars/Olympus', /time zone/],
  [`0 0 ${'1,'.repeat(200)}1 * *`, 'UTC', /256/],
]
for (const [schedule, zone, why] of WRONG)
  test(`\`${schedule.slice(0, 20)}\` in ${zone} is refused`, () => {
    assert.match(whyNotSchedule(schedule, zone) ?? '', why)
  })
