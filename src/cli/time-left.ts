import { SECOND } from '#contract/time.ts'
import { shortDuration } from './relative-time.ts'

/** Before this much time has passed, the speed says little about the rest. */
const TELLING = 2 * SECOND

/** `about 3m left` of something that goes on as fast as it has so far; empty where that cannot be told yet. */
export function timeLeft(done: number, total: number, ms: number): string {
  if (ms < TELLING || done <= 0 || done >= total) return ''
  const left = (ms / done) * (total - done)
  return `about ${shortDuration(Math.max(left, SECOND))} left`
}
