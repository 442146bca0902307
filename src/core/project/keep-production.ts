import { type SyncStores, syncCrons } from '../cron/sync-crons.ts'
import type { Project } from './project.ts'
import type { ProjectDetails } from './project-details.ts'
import type { ProjectStore } from './project-store.ts'

/** What a project remembers from now on, and the hosts that show something else because of it. */
export interface ProductionChange {
  readonly details: Partial<ProjectDetails>
  readonly hosts: readonly string[]
}

interface Stores extends SyncStores {
  readonly projects: SyncStores['projects'] & Pick<ProjectStore, 'update'>
}

/** Stores what became of production, with the schedules of what is shown now, inside the caller's transaction. */
export async function keepProduction(
  stores: Stores,
  project: Project,
  change: ProductionChange,
  now: number,
): Promise<ProjectDetails> {
  const details = { ...project.details, ...change.details }
  await syncCrons(stores, project, now)
  await stores.projects.update(project.id, { details }, now)
  return details
}
