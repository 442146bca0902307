const HOUR = 3_600_000

export const RANGES = [
  { value: '1h', label: 'Last hour', ms: HOUR },
  { value: '24h', label: 'Last 24 hours', ms: 24 * HOUR },
  { value: '7d', label: 'Last 7 days', ms: 7 * 24 * HOUR },
  { value: '30d', label: 'Last 30 days', ms: 30 * 24 * HOUR },
] as const
export type Range = (typeof RANGES)[number]

export const rangeOf = (value: string): Range => RANGES.find((range) => range.value === value) ?? RANGES[1]

const minute = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hour12: false })
const hour = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
})
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })

/** A point of time as its step makes sense of it. */
export const formatPoint = (at: number, step: number): string =>
  (step < HOUR ? minute : step < 24 * HOUR ? hour : day).format(at)

/** `a minute`, `an hour`, `a day`. */
export const stepName = (step: number): string => (step < HOUR ? 'minute' : step < 24 * HOUR ? 'hour' : 'day')
