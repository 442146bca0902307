import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { Clock } from '../ports/clock.ts'

interface CrashParts {
  readonly deployments: Pick<DeploymentStore, 'find' | 'update'>
  readonly clock: Clock
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

/** A deployment whose program cannot be kept running is one that failed. */
export const createCrashLoop =
  ({ deployments, clock, onHostsChanged }: CrashParts) =>
  async (deploymentId: string, reason: string): Promise<void> => {
    const deployment = await deployments.find(deploymentId)
    if (deployment?.state !== 'READY') return
    await deployments.update(deploymentId, {
      state: 'ERROR',
      stateAt: clock.now(),
      failure: { code: 'crash_loop', message: `The program keeps crashing: ${reason}`, step: 'run' },
    })
    // Aliases lead to it as well.
    onHostsChanged(['*'])
  }
