import type { Origin } from '#contract/origins.ts'
import { MINUTE } from '#contract/time.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Transact } from '../../ports/transact.ts'
import type { ProjectStore } from '../../project/project-store.ts'
import { followPull } from '../pull/follow-pull.ts'
import type { PullEvent, PullStore } from '../pull/pull.ts'
import { newPush } from '../push/new-push.ts'
import type { PushReason } from '../push/push.ts'
import type { PushStore } from '../push/push-store.ts'
import type { GitSource, SourceStore } from '../source/source.ts'
import { queueSync } from '../source/sync-job.ts'
import { REFUSALS, REFUSED_KEPT, REFUSED_REF } from './delivery.ts'

export interface FollowDeliveryParts {
  readonly store: Pick<SourceStore, 'update'>
  readonly projects: Pick<ProjectStore, 'byId'>
  readonly transact: Transact<{
    readonly sources: SourceStore
    readonly pushes: PushStore
    readonly pulls: PullStore
    readonly jobs: JobQueue
  }>
  readonly clock: Clock
  /** Of this machine, which deliveries come to. */
  readonly origin: Origin
}

/** The account that it was connected by may have given the project away. */
const ownerOf = async (
  { projects }: FollowDeliveryParts,
  { projectId, ownerId }: GitSource,
): Promise<string> => (await projects.byId(projectId))?.ownerId ?? ownerId

/** Records that a delivery did nothing, and why. */
export async function refuseDelivery(
  parts: FollowDeliveryParts,
  source: GitSource,
  reason: PushReason,
): Promise<void> {
  const { projectId, userId } = source
  const ownerId = await ownerOf(parts, source)
  await parts.transact(async ({ pushes }) => {
    await newPush(pushes, parts.clock, {
      ...{ projectId, ownerId, userId, source: 'webhook', ref: REFUSED_REF, before: null, after: null },
      ...{ state: 'skipped', reason },
    })
    await pushes.keepNewest(projectId, REFUSED_REF, REFUSED_KEPT)
  })
}

/** What a signed delivery leads to in one project; false where it came before, which is recorded. */
export async function followDelivery(
  parts: FollowDeliveryParts,
  source: GitSource,
  { key, pull }: { readonly key: string | undefined; readonly pull: PullEvent | undefined },
): Promise<boolean> {
  const { store, transact, clock, origin } = parts
  const { projectId, hook, userId, url } = source
  const now = clock.now()
  // That deliveries come: written once in a while, not with each of them.
  if (hook && (hook.heardAt === null || now - hook.heardAt > MINUTE || hook.problem !== null))
    await store.update(projectId, { hook: { ...hook, heardAt: now, problem: null } })
  const ownerId = await ownerOf(parts, source)
  const isNew = await transact(async (stores) => {
    if (key !== undefined && !(await stores.sources.remember(projectId, key, now))) return false
    const whose = { projectId, ownerId, userId, repository: url, by: 'webhook', origin } as const
    if (pull) await followPull(stores, clock, whose, pull)
    await queueSync(stores.jobs, { ownerId, projectId }, 'webhook', origin)
    return true
  })
  if (!isNew) await refuseDelivery(parts, source, REFUSALS.replayed)
  return isNew
}
