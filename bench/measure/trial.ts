/**
 * With `BENCH_TRIAL=1` a benchmark does everything once, and briefly: that tells whether it still runs, while what it
 * measures means nothing. `npm test` runs all of them so.
 */
export const isTrial = process.env.BENCH_TRIAL === '1'

export const rounds = (count: number): number => (isTrial ? 1 : count)
export const seconds = (count: number): number => (isTrial ? 1 : count)
/** Nothing is warmed up for a trial. */
export const warmUps = (count: number): number => (isTrial ? 0 : count)
/** So many files, rows, bytes or parts of a second, or a few of them. */
export const amount = (many: number, few: number): number => (isTrial ? few : many)
