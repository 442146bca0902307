import { HOUR } from '#contract/time.ts'

export const RANGES = [
  { value: '1h', label: 'Last hour', ms: HOUR },
  { value: '24h', label: 'Last 24 hours', ms: 24 * HOUR },
  { value: '7d', label: 'Last 7 days', ms: 7 * 24 * HOUR },
  { value: '30d', label: 'Last 30 days', ms: 30 * 24 * HOUR },
] as const
type Range = (typeof RANGES)[number]

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

const LEAST_STEPS = 5

/** From when to when a chart goes, in seconds: a day would be made of one point alone. */
export const spanOf = (first: number, last: number, step: number): [number, number] => [
  Math.min(first, last - (LEAST_STEPS * step) / 1000),
  last,
]

const [M, H, D] = [60, 3600, 86_400] as const
const BETWEEN_LABELS = [
  M,
  2 * M,
  5 * M,
  10 * M,
  30 * M,
  H,
  2 * H,
  3 * H,
  6 * H,
  12 * H,
  D,
  2 * D,
  7 * D,
  14 * D,
]

/** How far apart labels may be, in seconds: no two of them say the same. */
export const labelSteps = (step: number): number[] => BETWEEN_LABELS.filter((each) => each * 1000 >= step)
