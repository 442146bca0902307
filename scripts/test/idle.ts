import { cpus } from 'node:os'
import { setTimeout } from 'node:timers/promises'

/** Of all cores; a part of what they could have done. */
const LITTLE = 0.3
const LOOK_MS = 2000

function timesOfCores(): { readonly idle: number; readonly all: number } {
  let [idle, all] = [0, 0]
  for (const { times } of cpus()) {
    idle += times.idle
    all += times.user + times.nice + times.sys + times.irq + times.idle
  }
  return { idle, all }
}

let looking: Promise<void> | undefined

async function look(): Promise<void> {
  for (;;) {
    const before = timesOfCores()
    await setTimeout(LOOK_MS, undefined, { ref: false })
    const now = timesOfCores()
    if (now.idle - before.idle > LITTLE * (now.all - before.all)) break
  }
  looking = undefined
}

/** Resolves once the machine has had little to do for a moment. */
export const idle = (): Promise<void> => {
  looking ??= look()
  return looking
}
