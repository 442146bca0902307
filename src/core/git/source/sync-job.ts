import { isOrigin, type Origin } from '#contract/origins.ts'
import { HOUR, MINUTE } from '#contract/time.ts'
import { type JobHandler, shareOf } from '../../job/job-handler.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import type { Project } from '../../project/project.ts'
import type { ProjectStore } from '../../project/project-store.ts'
import { GitError, type GitRepositories } from '../git-repositories.ts'
import type { Credentials } from '../host/credentials.ts'
import { remoteProblem } from '../host/remote-problem.ts'
import { type ReconcileParts, reconcilePulls } from '../pull/reconcile-pulls.ts'
import { newPush } from '../push/new-push.ts'
import { branchOfRef, type Push, type PushSource, refOfBranch } from '../push/push.ts'
import { productionBranch } from '../push/push-rules.ts'
import type { RefUpdate } from '../push/pushes.ts'
import { queuePush } from '../push/queue-push.ts'
import type { GitRemotes, GitSource, RemoteAccess, SourceStore } from './source.ts'

const SYNC_JOB = 'git.sync'

/** Has a repository elsewhere asked what it holds. `origin`: of the machine that was told of something new in it. */
export const queueSync = (
  jobs: JobQueue,
  { ownerId, projectId }: Pick<GitSource, 'ownerId' | 'projectId'>,
  by: PushSource,
  origin?: Origin,
): Promise<string> =>
  jobs.enqueue({
    kind: SYNC_JOB,
    payload: { projectId, by, ...(origin && { origin }) },
    key: keyOf(projectId),
    share: shareOf(ownerId, projectId),
  })

const keyOf = (projectId: string): string => `git-sync:${projectId}`

export interface SyncParts extends ReconcileParts {
  readonly sources: SourceStore
  readonly projects: Pick<ProjectStore, 'byId'>
  readonly repositories: GitRepositories
  readonly remotes: GitRemotes
  readonly credentials: Pick<Credentials, 'remote' | 'host'>
}

/** How often a repository is asked by itself, in case that a call of its host was lost. */
const EVERY = 5 * MINUTE
const MOST = 6 * HOUR
/** The others are found again, and have their turn after those of other repositories. */
const MAX_UPDATES = 50

export function createSyncJob(parts: SyncParts): JobHandler {
  const { sources, repositories, remotes, credentials, clock, transact } = parts

  /** Nothing is acknowledged to anybody here: what is not recorded is found again the next time. */
  async function sync(
    source: GitSource,
    project: Project,
    by: Pick<Push, 'source' | 'origin'>,
    signal: AbortSignal,
  ): Promise<{ readonly access: RemoteAccess; readonly refs: ReadonlyMap<string, string> }> {
    const { id } = project
    await repositories.ensure(id)
    const asked = await credentials.remote(source)
    const remote = await remotes.refs(asked, signal)
    const access = { ...asked, knownHosts: remote.knownHosts }
    if (source.knownHosts === null && remote.knownHosts !== undefined)
      await sources.update(id, { knownHosts: remote.knownHosts })
    const known = await repositories.refs(id)
    const all = updatesOf(known, remote.refs)
    if (all.length === 0) return { access, refs: remote.refs }
    await remotes.fetch(id, access, remote.refs, signal)
    if (remote.head !== undefined) await repositories.setHead(id, remote.head)
    const first = productionBranch(project, remote.refs, remote.head)
    // Of a repository that was just connected, only what goes to production is deployed.
    const isWanted = ({ ref }: RefUpdate) =>
      known.size === 0 ? ref === refOfBranch(first) : branchOfRef(ref) !== undefined
    const wanted = all.filter(isWanted).sort((a, b) => orderOf(a, first) - orderOf(b, first))
    await record(source, wanted.slice(0, MAX_UPDATES), by)
    const left = new Set(wanted.slice(MAX_UPDATES))
    await repositories.accept(
      id,
      all.filter((update) => !left.has(update)),
    )
    if (left.size > 0) await transact(({ jobs }) => queueSync(jobs, source, by.source, by.origin))
    return { access, refs: remote.refs }
  }

  const record = (
    { projectId, ownerId, userId }: GitSource,
    updates: readonly RefUpdate[],
    by: Pick<Push, 'source' | 'origin'>,
  ) =>
    transact(async ({ pushes, jobs }) => {
      for (const { ref, before, after } of updates) {
        if ((await pushes.newestOf(projectId, ref))?.after === after && after !== null) continue
        const push = await newPush(pushes, clock, {
          ...{ projectId, ownerId, userId, ...by, ref, before, after, state: 'queued' },
        })
        await queuePush(jobs, push)
      }
    })

  /** The first failure of a row is recorded as what came of asking; the owner sees why nothing happens. */
  async function failed(source: GitSource, project: Project, by: PushSource, problem: string): Promise<void> {
    const now = clock.now()
    const failures = source.failures + 1
    await transact(async ({ pushes, sources: stored }) => {
      const dueAt = now + Math.min(EVERY * 2 ** Math.min(failures, 20), MOST)
      await stored.update(source.projectId, { checkedAt: now, problem, failures, dueAt })
      if (source.problem === problem && by === 'poll') return
      await newPush(pushes, clock, {
        ...{ projectId: source.projectId, ownerId: source.ownerId, userId: source.userId, source: by },
        ...{ ref: refOfBranch(project.details.productionBranch ?? 'main'), before: null, after: null },
        state: 'failed',
        reason: { code: 'unreachable', message: `The repository could not be read: ${problem}` },
      })
    })
  }

  return {
    kind: SYNC_JOB,
    summary: 'Check a connected repository',
    timeLimit: 30 * MINUTE,
    maxAttempts: 5,
    atOnce: 4,
    inOrder: true,
    // A host may answer as slowly as it likes.
    ofOneAccount: 2,
    givesWayAfter: MINUTE,
    async run({ projectId, by = 'poll', origin }, { signal, log }) {
      const source = await sources.find(String(projectId))
      const project = source && (await parts.projects.byId(source.projectId))
      if (!source || !project) return
      // Whoever calls from now on may tell of what came after the repository was asked.
      await transact(({ jobs }) => jobs.begun(keyOf(source.projectId)))
      try {
        const owned = { ...source, ownerId: project.ownerId }
        const how = { source: by as PushSource, ...(isOrigin(origin) && { origin }) }
        const remote = await sync(owned, project, how, signal)
        if (by === 'poll')
          await reconcilePulls(parts, owned, remote, signal).catch((error: unknown) => {
            if (signal.aborted) throw error
            // Branches are deployed all the same, and the host is asked again the next time.
            log.warn({ err: error, projectId }, 'the pull requests of a repository could not be listed')
          })
        const now = clock.now()
        await sources.update(source.projectId, {
          checkedAt: now,
          problem: null,
          failures: 0,
          dueAt: now + EVERY,
        })
      } catch (error) {
        if (!(error instanceof GitError)) throw error
        await failed(
          { ...source, ownerId: project.ownerId },
          project,
          by as PushSource,
          remoteProblem(error, source),
        )
      }
    },
  }
}

/** What goes makes room for what is new, whose name may begin like its own; nothing else is before production. */
const orderOf = ({ ref, after }: RefUpdate, production: string): number =>
  after === null ? 0 : ref === refOfBranch(production) ? 1 : 2

function updatesOf(known: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): RefUpdate[] {
  const updates: RefUpdate[] = []
  for (const [ref, after] of now) {
    const before = known.get(ref) ?? null
    if (before !== after) updates.push({ ref, before, after })
  }
  for (const [ref, before] of known) if (!now.has(ref)) updates.push({ ref, before, after: null })
  return updates
}

const BATCH = 100

/** So that a lost call of a host is a delay and not a loss. */
export const createPollRound = ({
  sources,
  transact,
  clock,
}: Pick<SyncParts, 'sources' | 'transact' | 'clock'>): JobHandler => ({
  kind: 'git.poll',
  summary: 'Check connected repositories for new commits',
  timeLimit: MINUTE,
  maxAttempts: 3,
  every: MINUTE,
  async run(_payload, { signal }) {
    const now = clock.now()
    while (!signal.aborted) {
      const due = await sources.due(now, BATCH)
      if (due.length === 0) return
      for (const source of due)
        await transact(async ({ jobs, sources }) => {
          // However long its turn takes to come, it keeps no others from having theirs.
          if (await sources.update(source.projectId, { dueAt: now + EVERY }))
            await queueSync(jobs, source, 'poll')
        })
      if (due.length < BATCH) return
    }
  },
})
