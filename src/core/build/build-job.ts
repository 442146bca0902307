import type { ReadyState } from '#contract/api/deployment.ts'
import { AloftError } from '#contract/errors.ts'
import { amountOf } from '#contract/limit/quota-amount.ts'
import { MINUTE } from '#contract/time.ts'
import { queueWords } from '#contract/words/queue-words.ts'
import type { Build, Deployment, Failure } from '../deployment/deployment.ts'
import { DEPLOYMENTS_TOPIC, readDeploymentNews } from '../deployment/deployment-news.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { openValues } from '../deployment/env/frozen-values.ts'
import type { FindSiteNames } from '../deployment/env/site-names.ts'
import { surroundings } from '../deployment/env/system-env.ts'
import { giveUp, goLiveBuilt, type PublishStores } from '../deployment/publish.ts'
import { detect } from '../detection/detect.ts'
import { ContentsGone, checkPresent } from '../file/check-present.ts'
import type { FileStore } from '../file/file-store.ts'
import { newBytes } from '../file/new-bytes.ts'
import { type JobHandler, type JobRun, type JobWait, PermanentFailure } from '../job/job-handler.ts'
import type { BuildLog, LogOfBuild } from '../log/write/build-log.ts'
import type { QueueMail } from '../mail/queue-mail.ts'
import { contentsOf, type Output } from '../output/output.ts'
import type { OutputStore } from '../output/output-store.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import { type BuildEvents, type Builder, BuildFailure } from '../ports/builder.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Mail } from '../ports/mailer.ts'
import { type BootProgram, RunnerError } from '../ports/runner.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { periodOf } from '../usage/period.ts'
import { quotaWords } from '../usage/quota-exceeded.ts'
import type { Quotas } from '../usage/quotas.ts'
import type { UsageStore } from '../usage/usage-store.ts'
import type { MailsForFailedBuild } from './mails-for-failed-build.ts'
import { allThatFailed, whatFailed } from './platform-fault.ts'
import { BUILD_JOB, BUILD_KEY } from './queue-build.ts'

interface BuildStores extends PublishStores {
  readonly files: FileStore
  readonly outputs: OutputStore
}

export interface BuildJobParts {
  readonly deployments: DeploymentStore
  readonly projects: ProjectStore
  readonly files: Pick<FileStore, 'claim' | 'addDamaged'>
  readonly transact: Transact<BuildStores>
  readonly vault: Vault
  readonly builder: Builder
  readonly siteNames: FindSiteNames
  readonly blobs: Pick<BlobStore, 'read' | 'stat'>
  /** Whether images can be built and run here. */
  readonly docker: boolean
  readonly boot: BootProgram
  readonly logOf: LogOfBuild
  readonly quotas: Pick<Quotas, 'limitsById' | 'used'>
  readonly usage: Pick<UsageStore, 'add'>
  readonly bus: Bus
  readonly clock: Clock
  readonly onHostsChanged: (hosts: readonly string[]) => void
  /** Who is told of a build that failed, and how. */
  readonly mailsForFailed: MailsForFailedBuild
  readonly queueMail: QueueMail
  /** Builds at once in one working process. */
  readonly atOnce: number
  /** Whether the machine can bear another build. */
  readonly mayBegin?: (() => boolean) | undefined
}

const TIME_LIMIT = 45 * MINUTE
/** Others do not wait longer than this for one build, as long as the machine can bear one more. */
const LONG_BUILD = 5 * MINUTE
/** A build that brings the process down is not tried for ever. */
const MAX_ATTEMPTS = 3

/** Turns a deployment from files into something live. Begins anew after a crash, from whatever state that left. */
export function createBuildJob(parts: BuildJobParts): JobHandler {
  return {
    kind: BUILD_JOB,
    summary: 'Build a deployment',
    // The build's own limit comes first and is told to its owner.
    timeLimit: TIME_LIMIT + 10 * MINUTE,
    // Whatever becomes of the build is to be recorded, however long that cannot be done.
    maxAttempts: Number.POSITIVE_INFINITY,
    atOnce: parts.atOnce,
    givesWayAfter: LONG_BUILD,
    ...(parts.mayBegin ? { mayBegin: parts.mayBegin } : {}),
    onWaiting: (payload, wait) => tellWait(parts, String(payload.deploymentId), wait),
    async run({ deploymentId }, run) {
      const { attempt, signal } = run
      const deployment = await parts.deployments.find(String(deploymentId))
      if (!deployment || deployment.state === 'READY' || deployment.state === 'ERROR') return
      const build = new BuildRun(parts, deployment, run)
      if (attempt > MAX_ATTEMPTS)
        await build.fail(new BuildFailure('build_aborted', 'The build was interrupted too often.'))
      else await build.run(signal)
    },
  }
}

/** With the deployment, and the first time in the build's own log, where whoever waits for it looks. */
async function tellWait(
  { deployments, logOf, clock }: BuildJobParts,
  deploymentId: string,
  { ahead, expected, isFirst }: JobWait,
): Promise<void> {
  const deployment = await deployments.find(deploymentId)
  const [run] = deployment?.buildRuns ?? []
  if (!deployment || !run) return
  const now = clock.now()
  const queue = { ahead, ...(expected === undefined ? {} : { expectedAt: Math.round(now + expected) }) }
  await deployments.update(deploymentId, { queue })
  if (isFirst)
    await logOf({ deploymentId, buildId: run.id, entrypoint: run.path }).stdout(
      `Other builds are running; ${queueWords(queue, now)}.`,
    )
}

const EVERY = 5 * MINUTE
const BATCH = 100

/** Deployments that are on their way for ever, because the job that was to bring them on is gone. */
export const createLostBuildsJob = (parts: BuildJobParts): JobHandler => ({
  kind: 'deployments.lost-builds',
  summary: 'End builds whose process is gone',
  timeLimit: 5 * MINUTE,
  maxAttempts: 3,
  every: EVERY,
  async run(_payload, run) {
    const { signal, log } = run
    while (!signal.aborted) {
      const lost = await parts.deployments.withoutJob(BUILD_KEY, BATCH)
      for (const deployment of lost) {
        log.warn({ deployment: deployment.id, state: deployment.state }, 'a build was lost')
        await new BuildRun(parts, deployment, run).fail(
          new BuildFailure('build_aborted', 'The build was lost. Deploy again.'),
        )
      }
      if (lost.length < BATCH) return
    }
  },
})

/** One attempt at one deployment. */
class BuildRun {
  readonly #parts: BuildJobParts
  readonly #job: JobRun
  #deployment: Deployment
  /** It was deleted or cancelled: there is nothing left to do for it. */
  readonly #unwanted = new AbortController()
  /** Changes follow one another, so that none overwrites what another wrote. */
  #changes: Promise<void> = Promise.resolve()

  constructor(parts: BuildJobParts, deployment: Deployment, job: JobRun) {
    this.#parts = parts
    this.#deployment = deployment
    this.#job = job
  }

  async run(stopped: AbortSignal): Promise<void> {
    const { bus } = this.#parts
    const { id } = this.#deployment
    const unsubscribe = bus.subscribe(DEPLOYMENTS_TOPIC, (text) => {
      const news = readDeploymentNews(text)
      if ((news?.what === 'deleted' || news?.what === 'canceled') && news.id === id) this.#stop()
    })
    const endGaps = bus.onGap?.(() => void this.#look())
    const late = AbortSignal.timeout(TIME_LIMIT)
    const signal = AbortSignal.any([stopped, this.#unwanted.signal, late])
    const meter = this.#startMeter()
    try {
      await this.#checkTime()
      const output = await this.#build(signal)
      await this.#deploy(output, signal)
    } catch (error) {
      if (stopped.aborted) throw stopped.reason
      if (this.#unwanted.signal.aborted) return
      // Built once more, they are stored once more.
      if (error instanceof ContentsGone && this.#job.attempt < MAX_ATTEMPTS) throw error
      await this.fail(late.aborted ? tooLong() : error)
      // The operator finds it among the jobs that failed, with all that its owner is not told.
      if (!late.aborted && isOurs(error))
        throw new PermanentFailure(`deployment ${id}: ${allThatFailed(error)}`, { cause: error })
    } finally {
      unsubscribe()
      endGaps?.()
      await meter.stop()
    }
  }

  /** Whether somebody has cancelled it meanwhile. Where that cannot be known now, its next step finds out. */
  async #look(): Promise<void> {
    const isWanted = await this.#parts.deployments.advance(this.#deployment.id, {}).catch(() => true)
    if (!isWanted) this.#stop()
  }

  #stop(): void {
    this.#unwanted.abort(new BuildFailure('canceled', 'It is no longer needed.'))
  }

  /** Its account may have used up the month since it was queued. */
  async #checkTime(): Promise<void> {
    const { quotas } = this.#parts
    const { ownerId } = this.#deployment
    const { buildMinutes: limit } = await quotas.limitsById(ownerId)
    if (limit === null) return
    const used = await quotas.used(ownerId, 'buildMinutes')
    if (used >= limit)
      throw new BuildFailure('quota_exceeded', quotaWords({ quota: 'buildMinutes', limit, used }))
  }

  /** Every minute of it is counted when it is over, so that the death of the process costs no more than one. */
  #startMeter(): { readonly stop: () => Promise<void> } {
    const { usage, clock } = this.#parts
    const { log } = this.#job
    const { ownerId } = this.#deployment
    let since = clock.monotonic()
    const count = async () => {
      const now = clock.monotonic()
      const amount = Math.round(now - since)
      since = now
      await usage
        .add([{ ownerId, what: 'buildMs', period: periodOf('buildMinutes', clock.now()), amount }])
        .catch((err: unknown) =>
          log.warn({ err, ownerId, amount }, 'the duration of a build was not counted'),
        )
    }
    const timer = setInterval(() => void count(), MINUTE).unref()
    return {
      stop: () => {
        clearInterval(timer)
        return count()
      },
    }
  }

  /** What was built has to fit into what the account may store: answers how much that is. */
  async #checkRoom(output: Output): Promise<number | null> {
    const { quotas, files, clock } = this.#parts
    const { ownerId } = this.#deployment
    const { contentBytes: limit } = await quotas.limitsById(ownerId)
    if (limit === null) return null
    const used = await quotas.used(ownerId, 'contentBytes')
    const more = await newBytes(files, ownerId, contentsOf(output), clock.now())
    if (used + more <= limit) return limit
    const words = quotaWords({ quota: 'contentBytes', limit, used })
    throw new BuildFailure(
      'quota_exceeded',
      `The build output takes ${amountOf('contentBytes', more)}. ${words}`,
    )
  }

  async #build(signal: AbortSignal): Promise<Output> {
    const { deployments, projects, vault, builder, siteNames, blobs, docker } = this.#parts
    const { id, ownerId, projectId } = this.#deployment
    await this.#advance('ANALYZING')
    const [project, files, sealed, names] = await Promise.all([
      projects.byIdOrName(ownerId, projectId),
      deployments.manifest(id),
      deployments.sealedEnv(id),
      siteNames(this.#deployment),
    ])
    if (!project || sealed === undefined) throw new BuildFailure('canceled', 'The project was deleted.')
    const values = openValues(vault, id, sealed)
    const { buildEnv, secrets, registryAuthToken } = values
    const hidden = registryAuthToken === undefined ? secrets : [...secrets, registryAuthToken]
    const plan = await detect({
      files,
      read: ({ sha256 }) => blobs.read(sha256),
      settings: this.#deployment.settings ?? project.build,
      request: this.#deployment,
      docker,
    })
    const task = {
      deployment: this.#deployment,
      plan,
      project,
      files,
      env: { ...surroundings(this.#deployment, values, names), ...buildEnv },
      secrets: hidden,
      signal,
      ...(registryAuthToken === undefined ? {} : { registryAuthToken }),
    }
    return builder.build(task, this.#events())
  }

  #events(): BuildEvents {
    return {
      log: (run) => this.#logOf(run),
      began: async (run) => {
        if (this.#deployment.state === 'ANALYZING') await this.#advance('BUILDING')
        await this.#mark(run, 'BUILDING')
      },
      ended: (run) => this.#mark(run, 'READY'),
    }
  }

  #logOf(run: string): BuildLog {
    const build = this.#deployment.buildRuns.find(({ id }) => id === run) ?? this.#deployment.buildRuns[0]
    return this.#parts.logOf({
      deploymentId: this.#deployment.id,
      buildId: build?.id ?? run,
      entrypoint: build?.path ?? '',
    })
  }

  /** What was built is kept first, because programs are run from what is kept. */
  async #deploy(output: Output, signal: AbortSignal): Promise<void> {
    const { transact, clock, onHostsChanged } = this.#parts
    const { id, ownerId } = this.#deployment
    const most = await this.#checkRoom(output)
    await this.#changes
    const keep = transact(async ({ deployments, files, outputs }) => {
      const now = clock.now()
      const crons = output.crons && { crons: output.crons }
      if (!(await deployments.advance(id, { state: 'DEPLOYING', stateAt: now, ...crons }))) return false
      await files.add(ownerId, contentsOf(output), now, most)
      await outputs.save(id, output)
      return true
    })
    // Others have taken the room meanwhile.
    const kept = await keep.catch((error: unknown) => {
      const isFull = error instanceof AloftError && error.kind === 'quota_exceeded'
      throw isFull ? new BuildFailure('quota_exceeded', error.message) : error
    })
    if (!kept) return
    this.#deployment = { ...this.#deployment, state: 'DEPLOYING' }
    await checkPresent(this.#parts, contentsOf(output))
    await this.#tryOut(output, signal)
    const changed = await transact(async (stores) => {
      // Before the deployment, as everybody does who points names to one.
      await stores.projects.lock(this.#deployment.ownerId, this.#deployment.projectId)
      const isWanted = await stores.deployments.advance(id, {})
      const current = isWanted ? await stores.deployments.find(id) : undefined
      if (!current) return []
      return (await goLiveBuilt(stores, current, clock.now())).changed
    })
    onHostsChanged(changed)
  }

  /** A server of its own has to come up before visitors are sent to it; a mere task has to end well. */
  async #tryOut({ programs }: Output, signal: AbortSignal): Promise<void> {
    for (const { id: program, shape } of programs) {
      if (shape !== 'command') continue
      const booted = await this.#parts.boot({ deploymentId: this.#deployment.id, program })
      signal.throwIfAborted()
      if ('listening' in booted) continue
      const exitMessage = `The program exited with code ${booted.finished}.`
      if (booted.finished !== 0) throw new BuildFailure('start_failed', exitMessage)
      await this.#say(exitMessage)
    }
  }

  async fail(error: unknown): Promise<void> {
    const { clock, transact, onHostsChanged, queueMail } = this.#parts
    const failure = this.#failureOf(error)
    await this.#say(`Error: ${failure.message}`, error instanceof BuildFailure ? error.run : undefined)
    await this.#changes
    const now = clock.now()
    const mails = await this.#mails(failure)
    await transact(async (stores) => {
      const ended = await giveUp(stores, this.#deployment, failure, now)
      if (ended.state === 'ERROR') for (const mail of mails) await queueMail(stores.jobs, mail)
    })
    const { host } = this.#deployment
    if (host !== null) onHostsChanged([host])
  }

  /** A build that failed is over, whether or not somebody can be told. */
  async #mails(failure: Failure): Promise<readonly Mail[]> {
    try {
      return await this.#parts.mailsForFailed(this.#deployment, failure)
    } catch (error) {
      this.#job.log.warn(
        { err: error, deployment: this.#deployment.id },
        'the email about a failed build could not be sent',
      )
      return []
    }
  }

  #failureOf(error: unknown): Failure {
    const step = this.#deployment.state === 'DEPLOYING' ? 'deploy' : 'build'
    if (error instanceof BuildFailure) return { code: error.code, message: error.message, step }
    if (error instanceof RunnerError) return { code: 'start_failed', message: error.message, step }
    const { id, log } = this.#job
    log.error({ err: error, deployment: this.#deployment.id }, 'a build failed because of the platform')
    const message = `The platform failed, not your code: ${whatFailed(error)}. Your operator can find the details under the reference ${id}.`
    return { code: 'internal_error', message, step }
  }

  #say(text: string, run?: string): Promise<void> {
    return this.#logOf(run ?? this.#deployment.buildRuns[0]?.id ?? '').stdout(text)
  }

  #advance(state: ReadyState): Promise<void> {
    this.#deployment = { ...this.#deployment, state, stateAt: this.#parts.clock.now() }
    const { stateAt } = this.#deployment
    const begun = state === 'ANALYZING' ? { buildingAt: stateAt } : {}
    return this.#write({ state, stateAt, queue: null, ...begun })
  }

  #mark(id: string, readyState: ReadyState): Promise<void> {
    const readyStateAt = this.#parts.clock.now()
    const buildRuns = this.#deployment.buildRuns.map(
      (run): Build => (run.id === id ? { ...run, readyState, readyStateAt } : run),
    )
    this.#deployment = { ...this.#deployment, buildRuns }
    return this.#write({ buildRuns })
  }

  #write(change: Parameters<DeploymentStore['update']>[1]): Promise<void> {
    this.#changes = this.#changes.then(async () => {
      if (!(await this.#parts.deployments.advance(this.#deployment.id, change))) this.#stop()
    })
    return this.#changes
  }
}

/** Whether the platform is to blame. */
const isOurs = (error: unknown): boolean => !(error instanceof BuildFailure || error instanceof RunnerError)

const tooLong = () =>
  new BuildFailure('build_timeout', `The build took longer than ${TIME_LIMIT / MINUTE} minutes.`)
