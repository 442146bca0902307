import { createHash } from 'node:crypto'
import type { HostStore } from '../alias/host-store.ts'
import { isReservedHost, type PlatformNames } from '../alias/platform-names.ts'
import { branchOf } from '../deployment/branch.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { slugify } from '../user/user.ts'
import { PUSH_META } from './push/push.ts'

const MAX_LABEL = 63
const MARK = '-git-'

/** Letters and digits, everything else a single dash. */
const slugOf = (branch: string): string => slugify(branch).replace(/-{2,}/g, '-')

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 6)

/**
 * The name that follows a branch: `<project>-git-<branch>-<account>.<domain>`. Where that is too long for a label, the
 * branch is cut and has a digest of its whole name behind it; so it has where `distinct` says that the plain name is
 * somebody else's.
 */
function branchAlias(
  { project, branch, account, domain }: Record<'project' | 'branch' | 'account' | 'domain', string>,
  distinct = '',
): string {
  const head = `${slugify(project)}${MARK}`
  const slug = slugOf(branch)
  const plain = `${head}${slug}-${account}`
  if (distinct === '' && slug !== '' && plain.length <= MAX_LABEL) return `${plain}.${domain}`
  const digest = digestOf(`${branch}\0${distinct}`)
  const tail = `-${digest}-${account}`
  const kept = slug.slice(0, Math.max(0, MAX_LABEL - head.length - tail.length)).replace(/-+$/, '')
  const label = `${head}${kept}${tail}`.replace(/-{2,}/g, '-')
  if (label.length <= MAX_LABEL) return `${label}.${domain}`
  // Names of the project and the account that leave no room for anything.
  return `${slugify(project).slice(0, 20).replace(/-+$/, '')}${MARK}${digestOf(`${project}\0${branch}\0${account}\0${distinct}`)}.${domain}`
}

/** The name of its branch, among those that a deployment was given: the second, after the one that it always has. */
export function branchAliasOf({
  meta,
  aliasFinal: [, second],
}: Pick<Deployment, 'meta' | 'aliasFinal'>): string | undefined {
  if (meta[PUSH_META] === undefined || second === undefined) return undefined
  return second.slice(0, second.indexOf('.')).includes(MARK) ? second : undefined
}

interface AliasStores {
  readonly hosts: Pick<HostStore, 'holder'>
  readonly deployments: Pick<DeploymentStore, 'find'>
}

/** The name that a deployment of a push takes for its branch; undefined for one that no push led to. */
export async function allotBranchAlias(
  { hosts, deployments }: AliasStores,
  { meta, ownerId, projectId }: Deployment,
  on: { readonly project: string; readonly account: string; readonly names: PlatformNames },
): Promise<string | undefined> {
  const branch = branchOf(meta)
  if (branch === undefined || meta[PUSH_META] === undefined) return undefined
  for (const distinct of ['', projectId, `${projectId} ${branch}`]) {
    const host = branchAlias({ ...on, branch, domain: on.names.domain }, distinct)
    if (isReservedHost(on.names, host)) continue
    const holder = await hosts.holder(host)
    if (!holder) return host
    if (holder.kind !== 'alias' || holder.ownerId !== ownerId || holder.projectId !== projectId) continue
    // `feature/a` and `feature-a` look alike in a name.
    const shown = await deployments.find(holder.deploymentId)
    if (!shown || branchOf(shown.meta) === branch) return host
  }
  return undefined
}
