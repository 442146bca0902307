import { availableParallelism, cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProcessorLoad } from '#core/instance/instances-to-start.ts'
import type { LiveInstance } from './live-instance.ts'

export interface MachineProcessor {
  readonly cores: number
  /** Milliseconds in which cores had nothing to do, since the machine was started. */
  readonly idleMs: number
}

export const processorNow = (): MachineProcessor => ({
  cores: availableParallelism(),
  idleMs: cpus().reduce((sum, { times }) => sum + times.idle, 0),
})

/** Long enough to see whether requests keep the processor busy, short enough for those that wait for another instance. */
const LOOK_MS = 100

/** What these instances, and all else, use the processor for from now on for a moment. Undefined at once where nobody can tell. */
export async function lookAtProcessor(
  instances: readonly Pick<LiveInstance, 'processorMs' | 'retiring'>[],
  machine: () => MachineProcessor,
): Promise<ProcessorLoad | undefined> {
  const had = () => Promise.all(instances.map((instance) => instance.processorMs()))
  const before = await had()
  if (before.includes(undefined)) return undefined
  const begun = performance.now()
  const { idleMs } = machine()
  await pause(LOOK_MS, undefined, { ref: false })
  const elapsed = performance.now() - begun
  const { cores, idleMs: idleNow } = machine()
  const after = await had()
  let used = 0
  for (const [index, { retiring }] of instances.entries()) {
    const now = after[index]
    // One that has ended in the meantime has told all it could.
    if (now === undefined && !retiring) return undefined
    used += Math.max(0, (now ?? 0) - (before[index] ?? 0)) / elapsed
  }
  return { cores, idle: Math.min(cores, (idleNow - idleMs) / elapsed), used }
}
