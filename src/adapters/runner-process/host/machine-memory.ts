import { totalmem } from 'node:os'

export interface MachineMemory {
  readonly available: number
  readonly total: number
}

/** Of the machine, or of the control group that the platform is held in. */
export const memoryNow = (): MachineMemory => ({
  available: process.availableMemory(),
  total: Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
})

/** Below this much of its memory a machine begins to swap or to kill, whoever is at fault. */
const KEPT_FREE = 0.08
const LEAST_FREE = 192 * 2 ** 20

export const isMemoryShort = ({ available, total }: MachineMemory): boolean =>
  available < Math.min(Math.max(total * KEPT_FREE, LEAST_FREE), total / 2)
