export const LATE = Symbol('late')

/** What comes of the work, unless that takes longer; the work itself goes on, and what comes of it then is nobody's. */
export function withinTime<T>(work: Promise<T>, ms: number): Promise<T | typeof LATE> {
  const late = Promise.withResolvers<typeof LATE>()
  const timer = setTimeout(late.resolve, ms, LATE)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}
