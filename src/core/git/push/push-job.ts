import { AloftError } from '#contract/errors.ts'
import type { Origin } from '#contract/origins.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#contract/time.ts'
import type { Context } from '../../access/context.ts'
import { environmentOfBranch } from '../../custom-environment/custom-environment.ts'
import type { DeploymentStore } from '../../deployment/deployment-store.ts'
import type { Deployments } from '../../deployment/deployments.ts'
import { CONFIG_FILES } from '../../detection/config/configuration.ts'
import { MAX_TEXT_BYTES } from '../../detection/source-tree.ts'
import { doubling, type JobHandler, type JobRun } from '../../job/job-handler.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Transact } from '../../ports/transact.ts'
import type { Project } from '../../project/project.ts'
import type { ProjectStore } from '../../project/project-store.ts'
import { type CleanBranchParts, cleanBranch } from '../clean-branch.ts'
import { GitError, type GitRepositories, projectOfCopy, type TreeEntry } from '../git-repositories.ts'
import type { PullStore } from '../pull/pull.ts'
import { LONGEST_HELD } from '../repository-room.ts'
import type { RepositorySizeStore } from '../repository-sizes.ts'
import type { LfsSource } from '../tree/store-lfs.ts'
import { storeTree } from '../tree/store-tree.ts'
import type { OpenModule } from '../tree/submodules.ts'
import type { StoreTreeParts } from '../tree/tree-parts.ts'
import { isUntouched } from '../tree/untouched.ts'
import {
  LATEST,
  OPEN_STATES,
  PUSH_META,
  PUSHES_TOPIC,
  type Push,
  type PushChange,
  type PushReason,
} from './push.ts'
import { metaOf } from './push-meta.ts'
import { isEnabledFor, kindOfPush, productionBranch, REASONS } from './push-rules.ts'
import type { PushStore } from './push-store.ts'
import { AFTER_PUSH_JOB, PUSH_JOB, queuePush, queueReport } from './queue-push.ts'

interface PushStores {
  readonly pushes: PushStore
  readonly jobs: JobQueue
}

export interface PushJobParts extends StoreTreeParts, Omit<CleanBranchParts, 'transact'> {
  readonly pushes: PushStore
  readonly pulls: Pick<PullStore, 'open'>
  readonly projects: Pick<ProjectStore, 'byIdOrName'>
  readonly deployments: Pick<DeploymentStore, 'list' | 'find'>
  readonly repositories: GitRepositories
  readonly transact: Transact<PushStores> & CleanBranchParts['transact']
  readonly create: Deployments['create']
  /** As whom a push is deployed; undefined where nobody is left who may. */
  readonly actFor: (
    push: Pick<Push, 'ownerId' | 'userId'>,
  ) => Promise<Pick<Context, 'actor' | 'owner'> | undefined>
  /** For what nobody has sent: of this machine. */
  readonly origin: Origin
  readonly bus: Bus
  /** Where the code of a project is: the repository, brought up to date where it is a copy. */
  readonly openSource: (project: Project, push: Push, signal: AbortSignal) => Promise<OpenSource>
}

export interface OpenSource {
  /** The id of the repository. */
  readonly id: string
  readonly refs: ReadonlyMap<string, string>
  readonly head: string | undefined
  /** What is told of the host that the code comes from. */
  readonly meta: Readonly<Record<string, string>>
  /** Where the host shows a commit. */
  readonly commitUrl?: (oid: string) => string | undefined
  /** Where relative addresses of submodules begin. */
  readonly url: string
  readonly openModule: OpenModule
  readonly lfs: LfsSource['lfs']
}

const ATTEMPTS = 8
/** How often it is looked whether all of a push has come, in case that whoever received it has died. */
const LOOK_AGAIN = 15 * SECOND
const RECEIVING = 2 * HOUR
const IN_PROGRESS = ['INITIALIZING', 'ANALYZING', 'BUILDING', 'DEPLOYING'] as const

/** Every push ends in this: a deployment, or a recorded reason why there is none. */
export function createPushJob(parts: PushJobParts): JobHandler {
  return {
    kind: PUSH_JOB,
    summary: 'Turn a push into a deployment',
    timeLimit: 15 * MINUTE,
    maxAttempts: Number.POSITIVE_INFINITY,
    backOff: (attempt) => Math.min(doubling(attempt), 2 * MINUTE),
    atOnce: 6,
    inOrder: true,
    // What it reads of other hosts, such as submodules, comes as slowly as these like.
    ofOneAccount: 3,
    givesWayAfter: MINUTE,
    async run({ pushId, round }, run) {
      const push = await parts.pushes.byId(String(pushId))
      if (!push || !(OPEN_STATES as readonly string[]).includes(push.state)) return
      try {
        await new PushRun(parts, push, run).run(Number(round ?? 0))
      } catch (error) {
        if (run.signal.aborted) throw error
        if (!(error instanceof AloftError) && run.attempt < ATTEMPTS) throw error
        await settle(parts, push, 'failed', failureOf(error, run))
      }
    },
  }
}

function failureOf(error: unknown, { id, log }: JobRun): PushReason {
  if (error instanceof AloftError) return { code: error.kind, message: error.message }
  // Only a repository elsewhere fails for so long.
  if (error instanceof GitError)
    return { code: 'unreachable', message: `The repository could not be read: ${lineOf(error)}` }
  log.error({ err: error }, 'a push could not be deployed')
  return {
    code: 'internal_error',
    message: `The platform failed, not your code. Your operator can find the details under the reference ${id}.`,
  }
}

const MAX_LINE = 300

function lineOf({ message }: GitError): string {
  const line = message.split('\n').find((text) => /fatal|error|denied/i.test(text)) ?? message
  return `${line.replace(/^(?:fatal|error): /, '').slice(0, MAX_LINE)}.`.replace(/\.\.$/, '.')
}

async function settle(
  parts: Pick<PushJobParts, 'pushes' | 'bus' | 'clock' | 'transact'>,
  push: Push,
  state: Push['state'],
  reason: PushReason | null,
  more: PushChange = {},
): Promise<void> {
  const change = { state, reason, ...more, stateAt: parts.clock.now() }
  if (!(await parts.pushes.update(push.id, [...OPEN_STATES, 'held'], change))) return
  parts.bus.publish(PUSHES_TOPIC, push.id)
  await parts.transact(({ jobs }: PushStores) => queueReport(jobs, { ...push, ...change }))
}

type GiveUpParts = CleanBranchParts & Pick<PushJobParts, 'pulls' | 'repositories'>

/** After a branch was deleted or a pull request closed. Answers the names that were given up. */
async function giveUpNames(
  parts: GiveUpParts,
  project: Project,
  { pull }: Pick<Push, 'pull'>,
  branch: string,
): Promise<readonly string[]> {
  return pull !== null && (await isNeeded(parts, project, branch)) ? [] : cleanBranch(parts, project, branch)
}

/** Whether the names of a pull request that was closed are those of something else, too. */
async function isNeeded(
  { pulls, repositories }: GiveUpParts,
  project: Project,
  branch: string,
): Promise<boolean> {
  const [open, refs, head] = await Promise.all([
    pulls.open(project.id),
    repositories.refs(project.id),
    repositories.head(project.id),
  ])
  return open.some((other) => other.branch === branch) || productionBranch(project, refs, head) === branch
}

/** What is to be deployed. */
interface Pushed {
  readonly branch: string
  readonly commit: string
  readonly tree: readonly TreeEntry[]
}

/** One look at one push. */
class PushRun {
  readonly #parts: PushJobParts
  readonly #run: JobRun
  #push: Push

  constructor(parts: PushJobParts, push: Push, run: JobRun) {
    this.#parts = parts
    this.#push = push
    this.#run = run
  }

  #end(state: Push['state'], reason: PushReason | null, more: PushChange = {}): Promise<void> {
    return settle(this.#parts, this.#push, state, reason, more)
  }

  async run(round: number): Promise<void> {
    const { projects } = this.#parts
    const push = this.#push
    const project = await projects.byIdOrName(push.ownerId, push.projectId)
    if (!project)
      return this.#end('skipped', { code: 'project_deleted', message: 'The project was deleted.' })
    if (push.state === 'receiving' && !(await this.#hasCome(round))) return
    const kind = kindOfPush(push)
    if (kind.kind === 'none') return this.#end('skipped', kind.reason)
    if (await this.#isSuperseded()) return
    if (kind.kind === 'deleted') {
      const names = await giveUpNames(this.#parts, project, push, kind.branch)
      const { pull } = push
      return this.#end('done', pull === null ? REASONS.deleted(names) : REASONS.closed(pull.number, names))
    }
    if (push.fork && project.details.gitForkProtection && push.source !== 'again')
      return this.#end('held', REASONS.held)
    const done = await this.#made(project)
    if (done !== undefined) return this.#end('deployed', null, { deploymentId: done })
    const running = await this.#running(project, kind.branch)
    if (running !== undefined) return this.#wait(running)
    await this.#deploy(project, kind)
  }

  /** Of those of a branch that wait or were not approved, only the newest is deployed: it drops the others. */
  async #isSuperseded(): Promise<boolean> {
    const { pushes } = this.#parts
    const { id, projectId, ref } = this.#push
    const open = (await pushes.openOf(projectId, ref)).filter(({ state }) => state !== 'receiving')
    const newest = open.at(-1)
    if (newest === undefined || newest.id === id) {
      for (const older of open)
        if (older.id !== id) await settle(this.#parts, older, 'skipped', REASONS.superseded(this.#push))
      return false
    }
    await this.#end('skipped', REASONS.superseded(newest))
    return true
  }

  /** Whoever received it may have died after git had taken it and before that was recorded. */
  async #hasCome(round: number): Promise<boolean> {
    const { repositories, pushes, clock, transact } = this.#parts
    const push = this.#push
    const refs = await repositories.refs(push.projectId)
    if ((refs.get(push.ref) ?? null) === push.after) {
      await pushes.update(push.id, ['receiving'], { state: 'queued', stateAt: clock.now() })
      return true
    }
    if (clock.now() > push.createdAt + RECEIVING) await this.#end('failed', REASONS.brokenOff)
    else
      await transact(({ jobs }) =>
        queuePush(jobs, push, { runAt: clock.now() + LOOK_AGAIN, round: round + 1 }),
      )
    return false
  }

  /** A deployment that an earlier attempt made. */
  async #made({ id, ownerId }: Project): Promise<string | undefined> {
    const filter = { projectId: id, meta: { [PUSH_META]: this.#push.id } }
    const { items } = await this.#parts.deployments.list(ownerId, { limit: 1 }, filter)
    return items[0]?.id
  }

  /** One build of a branch at a time. */
  async #running({ id, ownerId }: Project, branch: string): Promise<string | undefined> {
    const filter = { projectId: id, states: IN_PROGRESS, meta: { gitBranch: branch } }
    const { items } = await this.#parts.deployments.list(ownerId, { limit: 20 }, filter)
    return items.find(({ meta, incomplete }) => meta[PUSH_META] !== undefined && !incomplete)?.id
  }

  async #wait(deploymentId: string): Promise<void> {
    const { pushes, clock, bus, deployments, transact } = this.#parts
    const reason = REASONS.waiting(deploymentId)
    await pushes.update(this.#push.id, ['queued', 'waiting'], {
      state: 'waiting',
      reason,
      stateAt: clock.now(),
    })
    bus.publish(PUSHES_TOPIC, this.#push.id)
    // It may have ended before this push was seen to wait for it.
    const now = await deployments.find(deploymentId)
    if (!now || now.state === 'READY' || now.state === 'ERROR')
      await transact(({ jobs }) => queuePush(jobs, this.#push, { round: clock.now() }))
  }

  async #deploy(
    project: Project,
    { branch, commit: named }: { branch: string; commit: string },
  ): Promise<void> {
    const { repositories, openSource, actFor, create, origin } = this.#parts
    const push = this.#push
    const { log, signal } = this.#run
    const source = await openSource(project, push, signal)
    const commit = named === LATEST ? source.refs.get(push.ref) : named
    if (commit === undefined) return this.#end('failed', REASONS.noBranch(branch))
    // What was approved is this commit, and not what was pushed since.
    if (push.fork && !commit.startsWith(push.pull?.commit ?? commit)) return this.#end('failed', REASONS.gone)
    const about = await repositories.commit(source.id, commit)
    if (!about) return this.#end('failed', REASONS.gone)
    const words = { after: commit, author: about.author, message: about.message }
    const tree = await repositories.tree(source.id, commit)
    const none = await this.#reasonForNone(project, source, { branch, commit, tree })
    if (none) return this.#end('skipped', none, words)
    const who = await actFor(push)
    if (!who)
      return this.#end(
        'failed',
        { code: 'nobody', message: 'The account has no members left who could deploy it.' },
        words,
      )
    if (who.owner.softBlocked) return this.#end('failed', REASONS.blocked, words)
    const { files, notes } = await storeTree(
      this.#parts,
      who.owner,
      {
        at: { repository: source.id, commit, url: source.url, tree },
        openModule: source.openModule,
        isLfsOn: project.details.gitLFS,
        lfs: source.lfs,
      },
      signal,
    )
    const isProduction =
      !push.fork &&
      (push.options.prod === true || branch === productionBranch(project, source.refs, source.head))
    // A fork's branches are named by strangers: they reach nothing but previews.
    const environment =
      isProduction || push.fork ? undefined : environmentOfBranch(project.details.customEnvironments, branch)
    const { deployment } = await create(
      // Where it was pushed to, whoever has the job.
      { ...who, origin: push.origin ?? origin, log },
      {
        name: project.name,
        project: project.id,
        files,
        meta: metaOf(push, {
          branch,
          commit: about,
          repository: source.meta,
          url: source.commitUrl?.(commit),
        }),
        forceNew: true,
        ...(who.owner.plan === 'oss' ? { public: true } : {}),
        ...(isProduction ? { target: 'production' as const } : {}),
        ...(environment ? { customEnvironment: environment.id } : {}),
      },
    )
    return this.#end('deployed', null, { ...words, notes, deploymentId: deployment.id })
  }

  async #reasonForNone(
    project: Project,
    source: OpenSource,
    { branch, commit, tree }: Pushed,
  ): Promise<PushReason | undefined> {
    const { repositories, pushes } = this.#parts
    const push = this.#push
    if (push.options.force || push.options.prod || push.source === 'hook' || push.source === 'again')
      return undefined
    const byPath = new Map(tree.map((entry) => [entry.path, entry]))
    const text = (path: string) => this.#text(source.id, byPath.get(path))
    const root = (project.build.rootDirectory ?? '').replace(/^(?:\.?\/)+|\/+$/g, '')
    for (const name of CONFIG_FILES) {
      const path = root === '' ? name : `${root}/${name}`
      const config = await text(path)
      if (config === undefined) continue
      if (!isEnabledFor(deploymentEnabled(config), branch)) return REASONS.disabled(path)
      break
    }
    if (root === '') return undefined
    const last = (await pushes.lastDeployed(project.id, push.ref)) ?? (await pushes.lastDeployed(project.id))
    if (!last?.after || !(await this.#isGood(last))) return undefined
    const changed = await repositories.changed(source.id, last.after, commit)
    if (changed === undefined) return undefined
    const repository = { paths: tree.map(({ path }) => path), text }
    return (await isUntouched(changed, project.build, repository))
      ? REASONS.untouched(root, last.after)
      : undefined
  }

  /** Only of what came out well it can be said that nothing changed since. */
  async #isGood({ deploymentId }: Push): Promise<boolean> {
    const deployment = deploymentId === null ? undefined : await this.#parts.deployments.find(deploymentId)
    return deployment?.state === 'READY'
  }

  async #text(repository: string, entry: TreeEntry | undefined): Promise<string | undefined> {
    if (!entry?.mode.startsWith('100') || entry.size > MAX_TEXT_BYTES) return undefined
    for await (const content of this.#parts.repositories.contents(repository, [entry]))
      if ('bytes' in content) return content.bytes.toString('utf8')
    return undefined
  }
}

function deploymentEnabled(text: string): unknown {
  try {
    return (JSON.parse(text) as { git?: { deploymentEnabled?: unknown } } | null)?.git?.deploymentEnabled
  } catch {
    // What is wrong with the file is told by the deployment.
    return undefined
  }
}

/**
 * When a deployment of a push has come to its end, the next push of the branch begins. Where the branch was deleted
 * meanwhile, the names that the deployment took as it went live are given up again.
 */
export const createAfterPushJob = (
  parts: Pick<PushJobParts, 'pushes' | 'clock' | 'projects' | 'transact'> & GiveUpParts,
): JobHandler => ({
  kind: AFTER_PUSH_JOB,
  summary: 'Continue with the next push of a branch',
  timeLimit: MINUTE,
  maxAttempts: 10,
  async run({ pushId, deploymentId }) {
    const push = await parts.pushes.byId(String(pushId))
    if (!push) return
    const newest = await parts.pushes.newestOf(push.projectId, push.ref)
    const kind = newest && isDone(newest) ? kindOfPush(newest) : undefined
    const project = await parts.projects.byIdOrName(push.ownerId, push.projectId)
    if (project && newest && kind?.kind === 'deleted') await giveUpNames(parts, project, newest, kind.branch)
    const waiting = (await parts.pushes.openOf(push.projectId, push.ref)).filter(
      ({ state }) => state === 'waiting',
    )
    await parts.transact(async ({ jobs }) => {
      for (const next of waiting) await queuePush(jobs, next, { round: parts.clock.now() })
      await queueReport(jobs, { ...push, deploymentId: String(deploymentId) }, 'ended')
    })
  },
})

/** Not where git has not taken it yet, or has refused it. */
const isDone = ({ state }: Push): boolean => state === 'queued' || state === 'done'

const OVERDUE = 10 * MINUTE
const KEPT = 90 * DAY
const BATCH = 100

/** Whatever was forgotten by a death at the wrong moment is taken up again, and what is old is forgotten. */
export const createPushRounds = ({
  pushes,
  repositories,
  sizes,
  transact,
  clock,
  hasProject,
}: Pick<PushJobParts, 'pushes' | 'repositories' | 'clock'> & {
  readonly sizes: Pick<RepositorySizeStore, 'forgetHeld'>
  readonly transact: Transact<PushStores>
  readonly hasProject: (projectId: string) => Promise<boolean>
}): JobHandler => ({
  kind: 'git.rounds',
  summary: 'Resume interrupted pushes, and delete old ones',
  timeLimit: 5 * MINUTE,
  maxAttempts: 3,
  every: 10 * MINUTE,
  async run(_payload, { signal }) {
    const now = clock.now()
    const left = await pushes.overdue(now - OVERDUE, BATCH)
    await transact(async ({ jobs }) => {
      for (const push of left) await queuePush(jobs, push, { round: now })
    })
    await sizes.forgetHeld(now - LONGEST_HELD)
    while (!signal.aborted && (await pushes.prune(now - KEPT, BATCH)) === BATCH) {
      // A full batch: there may be more.
    }
    for (const id of await repositories.ids())
      if (id.startsWith('prj_') && !(await hasProject(projectOfCopy(id)))) await repositories.remove(id)
  },
})
