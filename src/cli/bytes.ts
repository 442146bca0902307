const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

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
