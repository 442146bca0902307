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

test('what comes every hour comes in both of the hours that have the same name', () => {
  const all = (schedule: string, zone: string, from: string, count: number) => {
    const found: string[] = []
    for (let at = from; found.length < count; found.push(at.slice(11, 16)))
      at = next(schedule, at, zone) as string
    return found.join(' ')
  }
  const paris = '2026-10-24T23:10:00Z'
  assert.equal(all('0 * * * *', 'Europe/Paris', paris, 4), '00:00 01:00 02:00 03:00')
  assert.equal(all('*/30 * * * *', 'Europe/Paris', paris, 6), '23:30 00:00 00:30 01:00 01:30 02:00')
  assert.equal(all('30 0-23 * * *', 'Europe/Paris', '2026-03-29T00:00:00Z', 3), '00:30 01:30 02:30')
  assert.equal(
    all('*/15 * * * *', 'Australia/Lord_Howe', '2026-04-04T14:00:00Z', 6),
    '14:15 14:30 14:45 15:00 15:15 15:30',
  )
  const night = { schedule: '* * * * *', timeZone: 'America/New_York' }
  assert.equal(countRuns(night, at('2026-11-01T05:00:00Z'), at('2026-11-01T06:59:00Z'), 1000), 120)
})

test('in the second of these hours nothing comes round in the first', () => {
  for (const schedule of [
    '* * * * *',
    '*/20 * * * *',
    '30 1 * * *',
    '* 1,2 * * *',
    '0 2 * * *',
    '* 1 1 11 *',
  ])
    for (let after = at('2026-11-01T05:00:00Z'); after < at('2026-11-01T07:30:00Z'); after += 7 * 60_000)
      assert.ok((nextRun(schedule, 'America/New_York', after) ?? 0) > after, schedule)
  assert.equal(next('30 1 * * *', '2026-11-01T06:10:00Z', 'America/New_York'), '2026-11-02T06:30:00.000Z')
  assert.equal(next('* 1,2 * * *', '2026-11-01T06:10:00Z', 'America/New_York'), '2026-11-01T07:00:00.000Z')
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
