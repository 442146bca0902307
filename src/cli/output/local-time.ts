const two = (value: number, digits = 2): string => String(value).padStart(digits, '0')

/** `2026-11-16 14:03:22.041`, by the clock of whoever reads it. */
export function localTime(at: number): string {
  const date = new Date(at)
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => two(part)).join(':')
  return `${day} ${time}.${two(date.getMilliseconds(), 3)}`
}
