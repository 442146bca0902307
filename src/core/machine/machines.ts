import { AloftError } from '#contract/errors.ts'
import type { Machine, MachineStore } from './machine.ts'

export interface Machines {
  list(): Promise<readonly Machine[]>
  /** Answers what the machine is listed as. */
  setDraining(name: string, isDraining: boolean): Promise<readonly Machine[]>
}

export const createMachines = (store: MachineStore): Machines => ({
  list: () => store.list(),
  async setDraining(name, isDraining) {
    if (!(await store.setDraining(name, isDraining)))
      throw new AloftError('not_found', `There is no machine ${JSON.stringify(name)}.`)
    return (await store.list()).filter((machine) => machine.name === name)
  },
})
