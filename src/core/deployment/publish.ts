import { AloftError } from '#contract/errors.ts'
import { heldBy } from '../alias/assign-alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import { queueBuild } from '../build/queue-build.ts'
import { type SyncStores, syncCrons } from '../cron/sync-crons.ts'
import type { EventQueue } from '../event/event.ts'
import { deploymentEvent } from '../event/event-payloads.ts'
import { queueAfterPush } from '../git/push/queue-push.ts'
import { type Allotment, allotNames } from '../names/allot-names.ts'
import { type TakenNames, type TakeStores, takeNames, takeNamesOfBuilt } from '../names/take-names.ts'
import { queuePreview } from '../preview/preview-job.ts'
import type { Work } from './create/decide.ts'
import type { Deployment, Failure } from './deployment.ts'
import { deploymentHost } from './hosts.ts'

export interface PublishStores extends TakeStores {
  readonly events: EventQueue
  readonly crons: SyncStores['crons']
}

interface Published {
  readonly deployment: Deployment
  /** Every host that shows something else from now on. */
  readonly changed: readonly string[]
}

const ATTEMPTS = 8

/**
 * What happens once all files are there, inside the caller's transaction: the deployment gets its address, its aliases
 * are allotted, and when nothing has to be built it is live. What has to be built is queued, what cannot be has failed.
 */
export async function publish(
  stores: PublishStores,
  begun: Deployment,
  on: Allotment,
  work: Pick<Work, 'kind'> & {
    readonly failure?: Failure
    /** It has waited for files, so a newer one may be live by now. */
    readonly isLate?: boolean
  },
): Promise<Published> {
  const host = await allocateHost(stores.hosts, begun, on)
  const addressed = { ...begun, host, stateAt: on.now }
  const aliasFinal = await allotNames(stores, addressed, on)
  const deployment = { ...addressed, aliasFinal }
  if (work.kind === 'files') {
    const taken = await takeNames(stores, deployment, { isLate: work.isLate === true, now: on.now })
    const live = { ...deployment, aliasFinal: taken.aliasFinal }
    await stores.events.emit(
      deploymentEvent('deployment.created', live, { at: on.now }),
      ...ready(live, on.now),
    )
    return goLive(stores, live, taken, on.now)
  }
  await stores.events.emit(deploymentEvent('deployment.created', deployment, { at: on.now }))
  if (work.failure)
    return { deployment: await giveUp(stores, deployment, work.failure, on.now), changed: [host] }
  await stores.deployments.update(begun.id, { host, aliasFinal, stateAt: on.now })
  await queueBuild(stores.jobs, begun)
  return { deployment, changed: [host] }
}

/** Ends what cannot be built, inside the caller's transaction. One that has ended meanwhile stays as it is. */
export async function giveUp(
  stores: Pick<PublishStores, 'deployments' | 'events' | 'jobs'>,
  deployment: Deployment,
  failure: Failure,
  now: number,
): Promise<Deployment> {
  const ended = await endFailed(stores, deployment, failure, now)
  if (!ended) return deployment
  await stores.events.emit(deploymentEvent('deployment.error', deployment, { at: now }))
  return ended
}

/** The same without telling anybody; undefined where it has ended meanwhile. What was built by then stays READY. */
export async function endFailed(
  { deployments, jobs }: Pick<PublishStores, 'deployments' | 'jobs'>,
  deployment: Deployment,
  failure: Failure,
  now: number,
): Promise<Deployment | undefined> {
  const { host, aliasFinal } = deployment
  const change = {
    host,
    aliasFinal,
    state: 'ERROR',
    stateAt: now,
    failure,
    buildRuns: deployment.buildRuns.map((run) =>
      run.readyState === 'READY' ? run : { ...run, readyState: 'ERROR' as const, readyStateAt: now },
    ),
  } as const
  if (!(await deployments.advance(deployment.id, change))) return undefined
  await queueAfterPush(jobs, deployment)
  return { ...deployment, ...change }
}

/** Makes what was built READY. */
export async function goLiveBuilt(stores: PublishStores, built: Deployment, now: number): Promise<Published> {
  const taken = await takeNamesOfBuilt(stores, built, now)
  const live = { ...built, aliasFinal: taken.aliasFinal }
  await stores.events.emit(...ready(live, now))
  return goLive(stores, live, taken, now)
}

/** What was built has come out well, and is there for visitors: here the two are one moment. */
const ready = (live: Deployment, at: number) => [
  deploymentEvent('deployment.succeeded', live, { at }),
  deploymentEvent('deployment.ready', live, { at }),
]

/** Makes a deployment READY whose aliases point to it, inside the caller's transaction. */
async function goLive(
  stores: PublishStores,
  addressed: Deployment,
  { pointed, aliasError }: Pick<TakenNames, 'pointed' | 'aliasError'>,
  now: number,
): Promise<Published> {
  const { aliasFinal, host } = addressed
  const change = {
    host,
    aliasFinal,
    state: 'READY',
    stateAt: now,
    readyAt: now,
    liveAt: (await isInProduction(stores.hosts, addressed)) ? now : null,
    aliasAssigned: aliasError === null,
    aliasError,
    buildRuns: addressed.buildRuns.map((run) =>
      run.readyState === 'READY' ? run : { ...run, readyState: 'READY' as const, readyStateAt: now },
    ),
  } as const
  await stores.deployments.update(addressed.id, change)
  if (addressed.target === 'production') {
    await queuePreview(stores.jobs, addressed)
    await syncCrons(stores, { id: addressed.projectId, ownerId: addressed.ownerId }, now)
  }
  await queueAfterPush(stores.jobs, addressed)
  return { deployment: { ...addressed, ...change }, changed: [...(host === null ? [] : [host]), ...pointed] }
}

/** One that is held back, was overtaken or has only some of the visitors so far is not what production shows. */
const isInProduction = async (
  hosts: Pick<HostStore, 'inProduction'>,
  { id, projectId, target }: Deployment,
): Promise<boolean> =>
  target === 'production' &&
  (await hosts.inProduction(projectId)).some(({ deploymentId }) => deploymentId === id)

async function allocateHost(
  hosts: HostStore,
  deployment: Deployment,
  { owner, project, names }: Allotment,
): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const host = deploymentHost(project.name, owner, names.domain)
    if (await hosts.claimForDeployment(host, deployment)) return host
  }
  throw new AloftError('conflict', 'No unused URL was found. Try again.')
}

/** Refuses aliases that the account cannot have, before anything is made. Answers how many of them nobody has. */
export async function checkAliases(
  hosts: HostStore,
  aliases: readonly string[],
  ownerId: string,
): Promise<number> {
  let free = 0
  for (const alias of aliases) {
    const holder = await hosts.holder(alias)
    const problem = heldBy(holder, alias, ownerId)
    if (problem) throw problem
    if (!holder) free++
  }
  return free
}
