import { newId } from '#contract/ids.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Project } from '../project/project.ts'
import type { ProjectStore } from '../project/project-store.ts'
import type { Cron, CronSpec } from './cron.ts'
import type { CronStore } from './cron-store.ts'
import { nextOf, queueNext } from './queue-run.ts'

export interface SyncStores {
  readonly projects: Pick<ProjectStore, 'deploymentsOf'>
  readonly crons: CronStore
  readonly jobs: JobQueue
}

const nameOf = ({ path, schedule, timeZone = 'UTC' }: CronSpec): string =>
  [path, schedule, timeZone].join('\n')

/**
 * Has the schedules be those that the production deployment names, beside those that somebody has made. Called inside
 * every transaction that may have moved production. What stays keeps its history and whether it is paused.
 */
export async function syncCrons(
  { projects, crons, jobs }: SyncStores,
  { id: projectId, ownerId }: Pick<Project, 'id' | 'ownerId'>,
  now: number,
): Promise<void> {
  const shown = (await projects.deploymentsOf(ownerId, [projectId], 0)).get(projectId)
  const wanted = new Map((shown?.production?.crons ?? []).map((spec) => [nameOf(spec), spec]))
  for (const cron of await crons.ofProject(projectId))
    if (cron.source === 'config' && !wanted.delete(nameOf(cron))) await crons.remove(cron.id)
  for (const { path, schedule, timeZone = 'UTC' } of wanted.values()) {
    const cron: Cron = {
      ...{ id: newId.cron(), ownerId, projectId, source: 'config', path, schedule, timeZone },
      ...{ enabled: true, overlap: 'skip', makeUp: false, failures: 0 },
      nextAt: nextOf({ enabled: true, schedule, timeZone }, now),
      ...{ createdAt: now, updatedAt: now },
    }
    await crons.insert(cron)
    await queueNext(jobs, cron)
  }
}
