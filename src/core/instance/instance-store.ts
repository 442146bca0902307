import type { Instance } from './instance.ts'

/**
 * Which instances run, for all processes to read. Written by the working process that has them. Those of a machine that
 * is not heard of are not told; they are again when it is.
 */
export interface InstanceStore {
  add(instance: Instance): Promise<void>
  remove(id: string): Promise<void>
  /** Forgets all of a worker: it has just started and runs none yet, or it ends. */
  clear(worker: string): Promise<void>
  /** Oldest first. */
  ofDeployment(deploymentId: string): Promise<readonly Instance[]>
  /** What runs of an account, except on this worker. */
  ofOwner(
    ownerId: string,
    exceptWorker?: string,
  ): Promise<{ readonly count: number; readonly memoryMb: number }>
  /** How many each of these deployments has; one without any may be left out. */
  counts(deploymentIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}
