import { Cron } from 'croner'

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
  return open(schedule, timeZone).nextRun(new Date(after))?.getTime() ?? null
}

/** How many times from this one up to that one, at most `most`. */
export function countRuns(
  { schedule, timeZone }: { readonly schedule: string; readonly timeZone: string },
  from: number,
  to: number,
  most: number,
): number {
  const cron = open(schedule, timeZone)
  let count = 0
  let at = cron.nextRun(new Date(from - 1))
  while (at !== null && at.getTime() <= to && count < most) {
    count++
    at = cron.nextRun(at)
  }
  return count
}

const open = (schedule: string, timezone: string): Cron =>
  new Cron(schedule, { timezone, mode: '5-part', paused: true })

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
