import { MINUTE } from '#contract/time.ts'
import { isBlocked } from '../access/soft-block.ts'
import type { PlatformNames } from '../alias/platform-names.ts'
import { startOf } from '../analytics/roll-up.ts'
import { addTally, createTally, showTally } from '../analytics/tally.ts'
import type { TrafficStore } from '../analytics/traffic-store.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import { keepProduction } from '../project/keep-production.ts'
import type { Project } from '../project/project.ts'
import { showInProduction } from '../project/show-in-production.ts'
import type { PeopleStores } from '../team/account-people.ts'
import { abortedRelease, move } from './end-release.ts'
import { whyWorse } from './judge.ts'
import { ADVANCE_JOB, type AdvanceOrder, queueAdvance } from './queue-advance.ts'
import { isActive, type Release, stageEndsAt } from './release.ts'
import { atStage, type ReleaseStores } from './releases.ts'

interface AdvanceParts {
  readonly projects: Pick<ReleaseStores['projects'], 'byId'>
  readonly traffic: Pick<TrafficStore, 'read'>
  readonly transact: Transact<ReleaseStores & PeopleStores>
  readonly clock: Clock
  readonly names: PlatformNames
  readonly onHostsChanged: (hosts: readonly string[]) => void
  /** Sends the mails about a release that went back or stands still, inside the transaction. */
  readonly onTrouble: (
    stores: ReleaseStores & PeopleStores,
    project: Project,
    release: Release,
  ) => Promise<void>
}

type Changed = Awaited<ReturnType<typeof move>>

/** Looks at both deployments of a release, and takes it to its next stage, or back. */
export function createAdvanceJob(parts: AdvanceParts): JobHandler {
  const { transact, clock, names } = parts

  /** Why the new deployment is worse than the old one since this stage began; undefined where it is not. */
  async function findRegression(projectId: string, release: Release): Promise<string | undefined> {
    const { gate } = release.config
    if (!gate?.enabled || release.paused) return undefined
    const time = {
      step: 'minute',
      from: Math.max(
        startOf('minute', release.stageAt),
        startOf('minute', (release.resumedAt ?? 0) + MINUTE),
      ),
      to: clock.now() + MINUTE,
    } as const
    const trafficOf = async (deploymentId: string) => {
      const sum = createTally()
      for (const { tally } of await parts.traffic.read({ projectId, deploymentId }, time, 'production'))
        addTally(sum, tally)
      return showTally(sum)
    }
    return whyWorse(
      gate,
      await trafficOf(release.canaryDeploymentId),
      await trafficOf(release.currentDeploymentId),
    )
  }

  async function advance(
    stores: ReleaseStores & PeopleStores,
    project: Project,
    release: Release,
    worse: string | undefined,
  ): Promise<Changed> {
    const now = clock.now()
    const canary = await stores.deployments.find(release.canaryDeploymentId)
    const end = (reason: string) => move(stores, project, abortedRelease(release, reason, now))
    if (canary?.state !== 'READY' || canary.projectId !== project.id)
      return end('The deployment no longer exists.')
    const { gate, stages } = release.config
    const looks = [...release.looks, worse !== undefined].slice(-(gate?.windowSize ?? 1))
    const isTripped = gate !== null && looks.filter(Boolean).length >= gate.failureThreshold
    const looked = {
      ...release,
      looks,
      reason: worse ?? release.reason,
      turn: release.turn + 1,
      updatedAt: now,
    }
    if (isTripped && !gate.dryRun) {
      const ended =
        gate.action === 'rollback'
          ? abortedRelease(release, worse ?? '', now)
          : { ...looked, paused: true, reason: worse ?? looked.reason }
      await parts.onTrouble(stores, project, ended)
      return move(stores, project, ended)
    }
    const endsAt = stageEndsAt(release)
    if (endsAt === null || endsAt > now) {
      await queueAdvance(stores.jobs, project, looked, now)
      return { details: { release: looked }, hosts: [] }
    }
    if (release.stage + 1 < stages.length - 1)
      return move(stores, project, await atStage(stores, project, release, release.stage + 1, now))
    return showInProduction(stores, project, canary, { type: 'promote', names, now, by: null })
  }

  /** While the sites of an account are offline, nobody can have seen what the stage shows, nor have checks anything to go by. */
  async function beginStageAgain(
    stores: ReleaseStores,
    project: Project,
    release: Release,
  ): Promise<Changed> {
    const now = clock.now()
    const { stage, reason } = release
    const again = await atStage(stores, project, { ...release, resumedAt: now }, stage, now)
    return move(stores, project, { ...again, reason })
  }

  return {
    kind: ADVANCE_JOB,
    summary: 'Advance a rolling release to its next stage, or roll it back',
    timeLimit: MINUTE,
    maxAttempts: 10,
    async run(payload) {
      const { projectId, turn } = payload as unknown as AdvanceOrder
      // It may have gone to another account since this was ordered.
      const found = await parts.projects.byId(projectId)
      const seen = found?.details.release ?? null
      if (!found || !isActive(seen) || seen.turn !== turn) return
      const worse = await findRegression(projectId, seen)
      const hosts = await transact(async (stores) => {
        const project = await stores.projects.lock(found.ownerId, projectId)
        // Deleted or given away at this moment: the next attempt finds out.
        if (!project) throw new Error('the project is no longer where it was found')
        const { release } = project.details
        // Whoever resumes the project orders the next look.
        if (!isActive(release) || release.turn !== turn || project.details.paused) return []
        const changed = (await isBlocked(stores, project.ownerId))
          ? await beginStageAgain(stores, project, release)
          : await advance(stores, project, release, worse)
        await keepProduction(stores, project, changed, clock.now())
        return changed.hosts
      })
      parts.onHostsChanged(hosts)
    },
  }
}
