import type { HostStore } from '../alias/host-store.ts'
import { queueForgetTraffic } from '../analytics/forget-traffic.ts'
import type { DeploymentNews } from '../deployment/deployment-news.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { EventQueue } from '../event/event.ts'
import { projectEvent } from '../event/event-payloads.ts'
import { queueUnhook } from '../git/host/unhook-job.ts'
import type { SourceStore } from '../git/source/source.ts'
import type { JobQueue } from '../job/job-queue.ts'
import { queueForget } from '../log/cleanup/forget-job.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { Project } from './project.ts'
import type { ProjectStore } from './project-store.ts'

export interface DeleteStores {
  readonly projects: ProjectStore
  readonly deployments: DeploymentStore
  readonly hosts: HostStore
  readonly jobs: JobQueue
  readonly events: EventQueue
  readonly sources: Pick<SourceStore, 'find'>
}

interface DeleteParts {
  readonly transact: Transact<DeleteStores>
  readonly clock: Clock
  readonly onHostsChanged: (hosts: readonly string[]) => void
  readonly onNews: (news: DeploymentNews) => void
}

/** Few enough that nobody waits long for the transaction. */
const STEP = 50

interface DeletedDeployments {
  readonly ids: readonly string[]
  readonly hosts: readonly string[]
}

/** Deletes some deployments and gives their aliases up. Their own hosts go on to say that they are deleted. */
async function deleteSome(
  stores: DeleteStores,
  { ownerId, id }: Project,
  now: number,
): Promise<DeletedDeployments> {
  const { items } = await stores.deployments.list(ownerId, { limit: STEP }, { projectId: id })
  const hosts: string[] = []
  for (const deployment of items) {
    await stores.deployments.delete(deployment.id, now)
    for (const alias of await stores.hosts.ofDeployment(deployment.id)) {
      await stores.hosts.release(alias.host)
      hosts.push(alias.host)
    }
    if (deployment.host !== null) hosts.push(deployment.host)
    await queueForget(stores.jobs, deployment.id, now)
  }
  return { ids: items.map((deployment) => deployment.id), hosts }
}

/** The name that was allotted may be left from a deployment that was deleted before; or somebody else's by now. */
async function releaseDefault(hosts: HostStore, { id, defaultHost }: Project): Promise<void> {
  if (defaultHost === null) return
  const holder = await hosts.holder(defaultHost)
  if (holder?.kind === 'alias' && holder.projectId === id) await hosts.release(defaultHost)
}

/**
 * Deletes a project and all that belongs to it: deployments first, a bounded number at a time, and the project with
 * the last of them. Cut short, it leaves a project with fewer deployments, which can be deleted again.
 * Answers false when there was no such project.
 */
export async function deleteProject(
  { transact, clock, onHostsChanged, onNews }: DeleteParts,
  ownerId: string,
  userId: string,
  idOrName: string,
): Promise<boolean> {
  // Between two steps the name can become that of another project.
  let wanted = idOrName
  for (;;) {
    const gone = await transact(async (stores) => {
      const project = await stores.projects.lock(ownerId, wanted)
      if (!project) return undefined
      const some = await deleteSome(stores, project, clock.now())
      const isLast = some.ids.length < STEP
      if (isLast) {
        await releaseDefault(stores.hosts, project)
        const source = await stores.sources.find(project.id)
        if (source) await queueUnhook(stores.jobs, { ...source, ownerId })
        await stores.projects.delete(project.id)
        await queueForgetTraffic(stores.jobs, { projectId: project.id }, clock.now())
        await stores.events.emit(projectEvent('project.removed', project, { userId, at: clock.now() }))
      }
      return { ...some, isLast, id: project.id }
    })
    if (!gone) return false
    wanted = gone.id
    onHostsChanged(gone.hosts)
    for (const id of gone.ids) onNews({ what: 'deleted', id })
    if (gone.isLast) return true
  }
}
