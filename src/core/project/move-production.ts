import { pointAlias } from '../alias/assign-alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { productionAlias } from '../deployment/hosts.ts'
import type { Project } from './project.ts'
import type { MovedAlias } from './project-details.ts'

/** The names of production that a project can have beside those it has. */
async function wanted(
  hosts: HostStore,
  { id, ownerId, name }: Project,
  { target, aliasFinal }: Deployment,
  domain: string,
): Promise<string[]> {
  const own = target === 'production' ? aliasFinal.slice(1) : []
  const free: string[] = []
  for (const host of new Set([productionAlias(name, domain), ...own])) {
    const holder = await hosts.holder(host)
    if (!holder || (holder.kind === 'alias' && holder.ownerId === ownerId && holder.projectId === id))
      free.push(host)
  }
  return free
}

/** Points everything that shows the production of a project to a deployment, inside the caller's transaction. */
export async function moveProduction(
  hosts: HostStore,
  project: Project,
  deployment: Deployment,
  { domain, now }: { readonly domain: string; readonly now: number },
): Promise<readonly MovedAlias[]> {
  const present = await hosts.inProduction(project.id)
  const names = new Set([
    ...present.map(({ host }) => host),
    ...(await wanted(hosts, project, deployment, domain)),
  ])
  const to = {
    deploymentId: deployment.id,
    ownerId: project.ownerId,
    projectId: project.id,
    production: true,
  }
  const moved: MovedAlias[] = []
  // In one order, so that two who move the same names wait for each other but never both.
  for (const host of [...names].sort()) {
    const { alias } = await pointAlias(hosts, host, to, now)
    moved.push({ id: alias.id, alias: host, status: 'completed', createdAt: alias.createdAt })
  }
  return moved
}
