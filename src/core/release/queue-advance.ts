import { SECOND } from '#contract/time.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Project } from '../project/project.ts'
import { type Release, stageEndsAt } from './release.ts'

export const ADVANCE_JOB = 'releases.advance'

/** What the job of a release says. */
export interface AdvanceOrder {
  /** As of then. Machines with the version before find the project by it. */
  readonly ownerId: string
  readonly projectId: string
  /** Of the release; one that has changed since has a job of its own. */
  readonly turn: number
}

/** How far apart the looks at both deployments are. */
const LOOK_EVERY = 20 * SECOND

/** Orders the next look at a release, or its next stage, inside the transaction that changes it. */
export async function queueAdvance(
  jobs: JobQueue,
  { id: projectId, ownerId }: Pick<Project, 'id' | 'ownerId'>,
  release: Release,
  now: number,
): Promise<void> {
  const endsAt = stageEndsAt(release)
  const isWatched = release.config.gate?.enabled === true && !release.paused
  const times = [...(endsAt === null ? [] : [endsAt]), ...(isWatched ? [now + LOOK_EVERY] : [])]
  if (times.length === 0) return
  const order: AdvanceOrder = { ownerId, projectId, turn: release.turn }
  await jobs.enqueue({
    kind: ADVANCE_JOB,
    payload: { ...order },
    key: `${ADVANCE_JOB}:${projectId}:${release.turn}`,
    runAt: Math.max(now, Math.min(...times)),
  })
}
