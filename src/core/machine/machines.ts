import { AloftError } from '#contract/errors.ts'
import type { InstanceStore } from '../instance/instance-store.ts'
import type { JobStore } from '../job/job-queue.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import { type Machine, type MachineStore, workerNames } from './machine.ts'

export interface Machines {
  list(): Promise<readonly Machine[]>
  /** Answers what the machine is listed as. */
  setDraining(name: string, isDraining: boolean): Promise<readonly Machine[]>
  /** For good: nobody listens to it any more, what it was doing is free for others, and what it ran is forgotten. */
  remove(name: string): Promise<void>
}

interface MachineParts {
  readonly store: MachineStore
  readonly transact: Transact<{
    readonly machines: Pick<MachineStore, 'remove'>
    readonly instances: Pick<InstanceStore, 'clear'>
    readonly jobs: Pick<JobStore, 'reclaim'>
  }>
  readonly clock: Clock
}

const unknownMachine = (name: string) =>
  new AloftError('not_found', `There is no machine ${JSON.stringify(name)}.`)

export const createMachines = ({ store, transact, clock }: MachineParts): Machines => ({
  list: () => store.list(),
  async setDraining(name, isDraining) {
    if (!(await store.setDraining(name, isDraining))) throw unknownMachine(name)
    return (await store.list()).filter((machine) => machine.name === name)
  },
  remove: (name) =>
    transact(async ({ machines, instances, jobs }) => {
      if (!(await machines.remove(name))) throw unknownMachine(name)
      for (const worker of workerNames(name)) {
        await instances.clear(worker)
        await jobs.reclaim(worker, clock.now())
      }
    }),
})
