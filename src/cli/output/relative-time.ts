import { DAY, HOUR, MINUTE, SECOND } from '#contract/time.ts'

const STEPS = [
  { unit: 's', size: SECOND, below: MINUTE },
  { unit: 'm', size: MINUTE, below: HOUR },
  { unit: 'h', size: HOUR, below: DAY },
  { unit: 'd', size: DAY, below: 365 * DAY },
  { unit: 'y', size: 365 * DAY, below: Number.POSITIVE_INFINITY },
] as const

/** A length of time in one unit, rounded: what was set to 30 days a moment ago does not show as 29. */
export function shortDuration(ms: number): string {
  for (const { unit, size, below } of STEPS) {
    const count = Math.round(ms / size)
    if (count * size < below) return `${count}${unit}`
  }
  return `${ms}ms`
}

/** `3h ago`, `in 30d`; within a few seconds it is `now`, since clocks differ by that much. */
export function relativeTime(at: number, now: number): string {
  if (Math.abs(at - now) < 5 * SECOND) return 'now'
  return at < now ? `${shortDuration(now - at)} ago` : `in ${shortDuration(at - now)}`
}
