/** Older shapes carry dates as ISO 8601 text; everything inside is integer milliseconds. */
export const iso = (ms: number): string => new Date(ms).toISOString()

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
/** As most people count it; not for dates of a calendar. */
export const YEAR = 365 * DAY
