import { setTimeout as pause } from 'node:timers/promises'
import type { Platform } from '../platform/platform.ts'
import { cpuSeconds } from './process-cpu.ts'
import { amount } from './trial.ts'

/** Until what came before is over, for which nobody waits: what is written later, memory that is given back. */
export async function rest({ pid }: Pick<Platform, 'pid'>): Promise<void> {
  for (let last = await cpuSeconds(pid), tries = 0; tries < amount(20, 0); tries++) {
    await pause(500)
    const now = await cpuSeconds(pid)
    if (now - last < 0.05) return
    last = now
  }
}
