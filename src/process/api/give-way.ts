import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** Steps of priority: with this many fewer a process gets a third of the CPU that another one gets. */
const STEPS = 5
const LOWEST = 19

/** From now on all threads of this process come after those that serve visitors, where the CPU is short. */
export function giveWay(): void {
  if (process.platform !== 'linux') return
  const lower = Math.min(LOWEST, getPriority() + STEPS)
  // Each thread has a priority of its own; those to come have that of the one that starts them.
  for (const thread of readdirSync('/proc/self/task'))
    try {
      setPriority(Number(thread), lower)
    } catch {
      // It has ended meanwhile.
    }
}
