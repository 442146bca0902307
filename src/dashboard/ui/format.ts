const number = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })

export const formatNumber = (value: number): string => number.format(value)
export const formatCompact = (value: number): string => compact.format(value)

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(1000)), UNITS.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}

/** `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const STEPS = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
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
