import { readDuration } from '../../output/duration.ts'

/** `2h` → two hours ago; also a date, or a time in ms. Throws what is accepted instead. */
export const readMoment =
  (now: () => number = Date.now) =>
  (text: string): number => {
    if (/^\d{1,12}[smhdwy]$/.test(text)) return Math.max(now() - readDuration(text), 0)
    const ms = /^\d{10,13}$/.test(text) ? Number(text) : Date.parse(text)
    if (Number.isNaN(ms) || ms < 0 || ms > 9_999_999_999_999)
      throw new TypeError(`"${text}" should be how long ago, as in 2h, or a date, as in 2030-01-31T12:00`)
    return ms
  }
