import { setTimeout } from 'node:timers/promises'
import { timesOfCores } from './costs.ts'

/** Of all cores; a part of what they could have done. */
const LITTLE = 0.15
const LOOK_MS = 1000

let looking: Promise<void> | undefined

async function look(): Promise<void> {
  for (;;) {
    const before = timesOfCores()
    await setTimeout(LOOK_MS, undefined, { ref: false })
    const now = timesOfCores()
    // Cores that wait for a disk would wait longer if it had more to do.
    const [busy, idle, disk] = [now.busy - before.busy, now.idle - before.idle, now.disk - before.disk]
    if (idle > LITTLE * (busy + idle + disk)) break
  }
  looking = undefined
}

/** Resolves once the machine has had little to do for a moment. */
export const idle = (): Promise<void> => {
  looking ??= look()
  return looking
}
