import { DAY, HOUR, MINUTE, SECOND } from '#contract/time.ts'

const UNITS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY, y: 365 * DAY } as const
const MAX = 100 * UNITS.y

/** `30d` → milliseconds. Throws what is accepted instead. */
export function readDuration(text: string): number {
  const match = /^(\d{1,12})([smhdwy])$/.exec(text.trim())
  const ms = match ? Number(match[1]) * UNITS[match[2] as keyof typeof UNITS] : 0
  if (ms <= 0)
    throw new TypeError(`"${text}" is not a duration: write a number and s, m, h, d, w or y, as in 30d`)
  if (ms > MAX) throw new TypeError(`"${text}" is more than a hundred years`)
  return ms
}
