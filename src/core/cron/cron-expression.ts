import { Cron } from 'croner'
import { DAY, HOUR, MINUTE } from '#contract/time.ts'

const LONGEST = 256

/** Why a schedule cannot be used, in words that complete "it"; undefined where it can. */
export function whyNotSchedule(schedule: string, timeZone: string): string | undefined {
  if (schedule.length > LONGEST) return `should be at most ${LONGEST} characters long`
  if (schedule.trim().split(/\s+/).length !== 5)
    return 'should have five fields: minute, hour, day of the month, month and day of the week, as in `0 5 * * *`'
  if (!isTimeZone(timeZone)) return `has the unknown time zone \`${timeZone.slice(0, 100)}\``
  try {
    return nextRun(schedule, timeZone, Date.now()) === null ? 'never matches a date' : undefined
  } catch (error) {
    // Looking for a date that does not come, it goes from month to month until the stack is full.
    if (/call stack/.test((error as Error).message)) return 'never matches a date'
    return `cannot be read: ${(error as Error).message.replace(/^Cron\w*: /, '')}`
  }
}

/** The first time after this one; null when there is none. */
export function nextRun(schedule: string, timeZone: string, after: number): number | null {
  return createNext(schedule, timeZone)(after)
}

/** How many times from this one up to that one, at most `most`. */
export function countRuns(
  { schedule, timeZone }: { readonly schedule: string; readonly timeZone: string },
  from: number,
  to: number,
  most: number,
): number {
  const next = createNext(schedule, timeZone)
  let count = 0
  for (let at = next(from - 1); at !== null && at <= to && count < most; at = next(at)) count++
  return count
}

type Next = (after: number) => number | null

/**
 * Where no clock changes on the days around, the offset says all: else every time is taken apart by the name of its zone, which
 * takes twenty times as long.
 */
function createNext(schedule: string, timeZone: string): Next {
  if (timeZone === 'UTC') {
    const cron = new Cron(schedule, { utcOffset: 0, mode: '5-part', paused: true })
    return (after) => timeAfter(cron, after)
  }
  const offsetOf = createOffsetOf(timeZone)
  let fixed: { readonly offset: number; readonly cron: Cron } | undefined
  let changing: Next | undefined
  return (after) => {
    const offset = offsetOf(after - DAY)
    if (fixed?.offset !== offset)
      fixed = { offset, cron: new Cron(schedule, { utcOffset: offset, mode: '5-part', paused: true }) }
    const next = timeAfter(fixed.cron, after)
    if (next !== null && next <= after + DAY && offsetOf(next + DAY) === offset) return next
    changing ??= createNextOverChanges(schedule, timeZone, offsetOf)
    return changing(after)
  }
}

/**
 * When the clocks are set back an hour comes twice. A schedule that comes round every hour does so in both; whatever names
 * its hours, in the first.
 */
function createNextOverChanges(schedule: string, timezone: string, offsetOf: (at: number) => number): Next {
  const cron = new Cron(schedule, { timezone, mode: '5-part', paused: true })
  const [, hours = ''] = schedule.trim().split(/\s+/)
  if (!EVERY_HOUR.test(hours)) return (after) => firstOfBoth(cron, after)

  /** The first time at which the clocks are ahead by this much, if it is before another. */
  const timeAt = (utcOffset: number, after: number, before: number): number | undefined => {
    const fixed = new Cron(schedule, { utcOffset, mode: '5-part', paused: true })
    for (let at = timeAfter(fixed, after); at !== null && at < before; at = timeAfter(fixed, at))
      if (offsetOf(at) === utcOffset) return at
    return undefined
  }
  return (after) => {
    const next = timeAfter(cron, after)
    if (next === null) return null
    if (next <= after) return timeAt(offsetOf(after), after, after + HOUR) ?? firstOfBoth(cron, after)
    const offsets = [offsetOf(after - DAY), offsetOf(next)]
    if (offsets[0] === offsets[1]) return next
    return Math.min(...offsets.map((offset) => timeAt(offset, after, next) ?? next))
  }
}

const EVERY_HOUR = /^(\*(\/1)?|0-23)$/

/** While an hour comes for the second time, times of the first are found, which are over. */
function firstOfBoth(cron: Cron, after: number): number | null {
  for (let from = after; from <= after + DAY; from += MINUTE) {
    const at = timeAfter(cron, from)
    if (at === null || at > after) return at
  }
  return null
}

const timeAfter = (cron: Cron, at: number): number | null => cron.nextRun(new Date(at))?.getTime() ?? null

/** By how many minutes the clocks of a time zone are ahead of UTC. */
function createOffsetOf(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  return (at) => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const [, sign, hours = 0, minutes = 0] = /([+-])(\d+):(\d+)/.exec(name) ?? []
    return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
