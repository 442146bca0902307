import { MINUTE } from '../time.ts'
import { count } from './wording.ts'

/** Where a build is that waits for others. */
export interface QueuePlace {
  /** Builds that will be begun before it. */
  readonly ahead: number
  /** When it is expected to begin; absent as long as nobody can tell. */
  readonly expectedAt?: number
}

/** `2 builds are ahead of this one, in about 3 minutes`, for the log, the command line and the dashboard alike. */
export function queueWords({ ahead, expectedAt }: QueuePlace, now: number): string {
  const others =
    ahead === 0
      ? 'this one is next'
      : ahead === 1
        ? '1 build is ahead of this one'
        : `${ahead} builds are ahead of this one`
  if (expectedAt === undefined) return others
  const minutes = Math.max(1, Math.round((expectedAt - now) / MINUTE))
  return `${others}, in about ${count(minutes, 'minute')}`
}
