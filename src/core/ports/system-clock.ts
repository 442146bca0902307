// The global of this name is an accessor, which would be called for each visit.
import { performance } from 'node:perf_hooks'
import type { Clock } from './clock.ts'

const [seconds, nanoseconds] = process.hrtime()
/** What `performance.now` counts from is another moment in every process. */
const origin = seconds * 1000 + nanoseconds / 1e6 - performance.now()

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => origin + performance.now(),
}
