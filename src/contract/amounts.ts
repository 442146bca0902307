const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const

/** `1.4 MB`: three digits at the most, in powers of a thousand. */
export function showBytes(bytes: number): string {
  let size = bytes
  let unit = 0
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1000
    unit++
  }
  return `${unit === 0 || size >= 99.95 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`
}

const BINARY = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

function inUnits(bytes: number, base: number, units: readonly string[]) {
  let size = bytes
  let unit = 0
  while (bytes >= 1024 && size >= base && unit < units.length - 1) {
    size /= base
    unit++
  }
  const rounded = Number(size.toFixed(size >= 99.95 ? 0 : 1))
  return { text: `${rounded} ${units[unit]}`, isExact: rounded === size }
}

/**
 * `8 GiB`: a limit, or memory. These are mostly powers of 1024, and so said in them; `5 GB` is one that is not. What was
 * measured is shown by `showBytes`.
 */
export function showLimit(bytes: number): string {
  const binary = inUnits(bytes, 1024, BINARY)
  const decimal = inUnits(bytes, 1000, UNITS)
  return (binary.isExact || !decimal.isExact ? binary : decimal).text
}

/** `512 MiB`, as `memory` in a configuration file counts it. */
export const showMemory = (megabytes: number): string =>
  megabytes === 0 ? '0 MiB' : showLimit(megabytes * 2 ** 20)

const both = (whole: number, large: string, rest: number, small: string): string =>
  rest === 0 ? `${whole} ${large}` : `${whole} ${large} ${rest} ${small}`

/** `850 ms`, `4.2 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function showDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return both(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 1440) return both(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  const hours = Math.round(minutes / 60)
  return both(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

/** Before this much time has passed, the speed says little about the rest. */
const ENOUGH_MS = 2000

/** `about 3 min left` of something that goes on as fast as it has so far; empty where that cannot be told yet. */
export function timeLeft(done: number, total: number, ms: number): string {
  if (ms < ENOUGH_MS || done <= 0 || done >= total) return ''
  const seconds = Math.ceil(((ms / done) * (total - done)) / 1000)
  // Seconds of what takes minutes would be made up.
  const told = seconds < 60 ? `${seconds} s` : showDuration(Math.round(seconds / 60) * 60_000)
  return `about ${told} left`
}
