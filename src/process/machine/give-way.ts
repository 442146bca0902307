import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** Steps of priority: with this many fewer a thread gets a third of the CPU that another one gets. */
const STEPS = 5
/** With this many fewer it gets a tenth, and lets the other one go first as soon as that has something to do. */
const POOL_STEPS = 10
const LOWEST = 19

/** What libuv calls the threads of its pool. */
const POOL_THREAD = 'libuv-worker'

/** From now on all threads of this process come after those that serve visitors, where the CPU is short. */
export const giveWay = (): void => lower(STEPS, () => true)

/**
 * From now on the threads that read and write files come after the one that answers visitors: it only passes on to them what
 * many uploads bring, and would wait for its turn among sixteen of them.
 */
export const poolGivesWay = (): void => lower(POOL_STEPS, (thread) => nameOf(thread) === POOL_THREAD)

function lower(steps: number, isMeant: (thread: string) => boolean): void {
  if (process.platform !== 'linux') return
  const priority = Math.min(LOWEST, getPriority() + steps)
  // Each thread has a priority of its own; those to come have that of the one that starts them.
  for (const thread of readdirSync('/proc/self/task'))
    try {
      if (isMeant(thread)) setPriority(Number(thread), priority)
    } catch {
      // It has ended meanwhile.
    }
}

const nameOf = (thread: string): string => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
