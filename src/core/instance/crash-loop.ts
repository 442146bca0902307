import { MINUTE } from '#contract/time.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { doubling, type JobHandler } from '../job/job-handler.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Output } from '../output/output.ts'
import type { OutputStore } from '../output/output-store.ts'
import type { Clock } from '../ports/clock.ts'
import { type BootProgram, type ProgramRef, RunnerError } from '../ports/runner.ts'
import type { Transact } from '../ports/transact.ts'

const CRASH_LOOP = 'crash_loop'
export const REVIVE_JOB = 'deployments.revive'
const LONGEST_PAUSE = 10 * MINUTE

interface MarkCrashedParts {
  readonly outputs: Pick<OutputStore, 'find'>
  readonly transact: Transact<{ readonly deployments: DeploymentStore; readonly jobs: JobQueue }>
  readonly clock: Clock
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

/** Whether it failed because its program could not be kept running. */
export const isCrashed = ({ state, failure }: Deployment): boolean =>
  state === 'ERROR' && failure?.code === CRASH_LOOP

/** Whether nothing of the deployment is left without this program. A function is always one part of a site. */
const isAllOf = ({ programs, files }: Output, id: string): boolean =>
  files.length === 0 && programs.every((program) => program.id === id && program.shape === 'command')

/**
 * A program dies again and again. A deployment that is nothing but this program has failed until it can be started
 * again; of any other, the rest goes on as if nothing had happened.
 */
export const createMarkCrashed =
  ({ outputs, transact, clock, onHostsChanged }: MarkCrashedParts) =>
  async ({ deploymentId, program }: ProgramRef, reason: string): Promise<void> => {
    const output = await outputs.find(deploymentId)
    if (output === undefined || !isAllOf(output, program)) return
    const isMarked = await transact(async ({ deployments, jobs }) => {
      if ((await deployments.find(deploymentId))?.state !== 'READY') return false
      await deployments.update(deploymentId, {
        state: 'ERROR',
        stateAt: clock.now(),
        failure: { code: CRASH_LOOP, message: `The program keeps crashing: ${reason}`, step: 'run' },
      })
      await jobs.enqueue({
        ...{ kind: REVIVE_JOB, key: `revive:${deploymentId}`, payload: { deploymentId, program } },
        runAt: clock.now() + doubling(1),
      })
      return true
    })
    // Aliases lead to it as well.
    if (isMarked) onHostsChanged(['*'])
  }

interface ReviveParts {
  readonly deployments: Pick<DeploymentStore, 'find' | 'update'>
  readonly boot: BootProgram
  readonly clock: Clock
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

/** Starts the program of a deployment that crashed, with growing pauses, until it comes up and is served again. */
export const createReviveJob = ({ deployments, boot, clock, onHostsChanged }: ReviveParts): JobHandler => ({
  kind: REVIVE_JOB,
  summary: 'Restart a deployment that crashed',
  timeLimit: 5 * MINUTE,
  // It starts programs of users.
  apart: 2,
  maxAttempts: Number.POSITIVE_INFINITY,
  backOff: (attempt) => Math.min(doubling(attempt), LONGEST_PAUSE),
  async run(payload) {
    const { deploymentId, program } = payload as unknown as ProgramRef
    const isStillCrashed = async () => {
      const deployment = await deployments.find(deploymentId)
      return deployment !== undefined && isCrashed(deployment)
    }
    if (!(await isStillCrashed())) return
    const booted = await boot({ deploymentId, program })
    if (!('listening' in booted))
      throw new RunnerError('crashed', `The program exited with code ${booted.finished}.`)
    if (!(await isStillCrashed())) return
    await deployments.update(deploymentId, { state: 'READY', stateAt: clock.now(), failure: null })
    onHostsChanged(['*'])
  },
})
