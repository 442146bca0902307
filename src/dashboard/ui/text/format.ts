import { DAY, HOUR, MINUTE } from '#contract/time.ts'

const number = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })

export const formatNumber = (value: number): string => number.format(value)
export const formatCompact = (value: number): string => compact.format(value)

const STEPS = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const

/** `5 min. ago`, `in 3 days`. */
export function formatRelative(at: number, now: number): string {
  const ms = at - now
  const [unit, size] = STEPS.find(([, size]) => Math.abs(ms) >= size) ?? ['second', 1000]
  return unit === 'second'
    ? ms > 0
      ? 'in a moment'
      : 'just now'
    : relative.format(Math.round(ms / size), unit)
}

export const formatTime = (at: number): string => full.format(at)
export const formatDay = (at: number): string => day.format(at)
