import { formatDuration } from './format.ts'

/** Before this much time has passed, the pace says little about the rest. */
const TELLING_MS = 2000

/** How long the rest takes at the pace so far; nothing while there is too little to tell by. */
export function timeLeft({ done, of, ms }: { done: number; of: number; ms: number }): string {
  if (ms < TELLING_MS || done === 0 || done >= of) return '…'
  return `, about ${formatDuration(Math.ceil(((of - done) / done) * (ms / 1000)) * 1000)} left`
}
