import { DAY, HOUR, MINUTE, SECOND } from '#contract/time.ts'

const STEPS = [
  { unit: 's', size: SECOND, below: MINUTE },
  { unit: 'm', size: MINUTE, below: HOUR },
  { unit: 'h', size: HOUR, below: DAY },
  { unit: 'd', size: DAY, below: 365 * DAY },
] as const
const YEARS = { unit: 'y', size: 365 * DAY }

/** A length of time in one unit. It is rounded, so that what was set to 30 days a moment ago is not shown as 29 days. */
export function shortDuration(ms: number): string {
  const { unit, size } = STEPS.find((step) => Math.round(ms / step.size) * step.size < step.below) ?? YEARS
  return `${Math.round(ms / size)}${unit}`
}

/** `3h ago`, `in 30d`; within a few seconds it is `now`, since clocks differ by that much. */
export function relativeTime(at: number, now: number): string {
  if (Math.abs(at - now) < 5 * SECOND) return 'now'
  return at < now ? `${shortDuration(now - at)} ago` : `in ${shortDuration(at - now)}`
}
