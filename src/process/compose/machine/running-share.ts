import type { Deployment } from '#core/deployment/deployment.ts'
import type { Machine } from '#core/machine/machine.ts'
import { machinesFor, shareOf } from '#core/machine/placement.ts'
import type { MachineWatch } from './machine-watch.ts'

/** Those that run functions for the whole installation. */
const runningMachines = ({ alive }: Pick<MachineWatch, 'alive'>): readonly Machine[] =>
  alive().filter(({ role, address, isDraining }) => role === 'work' && address !== undefined && !isDraining)

interface OwnMachine {
  readonly name: string
  /** Whether other machines use its functions. One of which they do not has all instances for its own visitors. */
  readonly isReached: boolean
}

/** Which of the instances that always run are for this machine to run. */
export function createShare(machines: Pick<MachineWatch, 'alive' | 'onLook'>, own: OwnMachine) {
  return {
    of({ id, regions }: Pick<Deployment, 'id' | 'regions'>, min: number): number {
      const running = runningMachines(machines)
      if (!own.isReached || running.length === 0) return min
      const among = machinesFor(regions, running).map(({ name }) => name)
      return among.includes(own.name) ? shareOf(min, own.name, { among, deployment: id }) : 0
    },

    /** Other machines run functions than before. */
    onChange(listener: () => void): () => void {
      const seen = () =>
        runningMachines(machines)
          .map(({ name, origin }) => `${name} ${origin}`)
          .join()
      let last = seen()
      return machines.onLook(() => {
        const now = seen()
        if (now === last) return
        last = now
        listener()
      })
    },
  }
}
