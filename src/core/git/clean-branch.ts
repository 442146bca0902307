import type { HostStore } from '../alias/host-store.ts'
import { branchOf } from '../deployment/branch.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { Transact } from '../ports/transact.ts'
import type { Project } from '../project/project.ts'
import { branchAliasOf } from './branch-alias.ts'
import { PUSH_META } from './push/push.ts'

export interface CleanBranchParts {
  readonly transact: Transact<{ readonly hosts: HostStore; readonly deployments: DeploymentStore }>
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

/** Names of a branch that many deployments have had are few. */
const LOOKED_AT = 100

/**
 * After a branch was deleted, its name is served no more and no instance of its previews is kept running. What was
 * deployed stays, each at its own address. Answers the names that were given up.
 */
export async function cleanBranch(
  { transact, onHostsChanged }: CleanBranchParts,
  { id, ownerId }: Project,
  branch: string,
): Promise<readonly string[]> {
  const names = await transact(async ({ hosts, deployments }) => {
    const filter = { projectId: id, meta: { gitBranch: branch } }
    const { items } = await deployments.list(ownerId, { limit: LOOKED_AT }, filter)
    const ours = items.filter(({ meta }) => meta[PUSH_META] !== undefined && branchOf(meta) === branch)
    for (const deployment of ours)
      if (deployment.target !== 'production' && deployment.scale.min > 0)
        await deployments.update(deployment.id, { scale: { ...deployment.scale, min: 0 } })
    const released: string[] = []
    for (const host of new Set(ours.flatMap((deployment) => branchAliasOf(deployment) ?? []))) {
      const alias = await hosts.alias(ownerId, host)
      if (alias?.projectId !== id) continue
      await hosts.release(host)
      released.push(host)
    }
    return released
  })
  onHostsChanged(names)
  return names
}
