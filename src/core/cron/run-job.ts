import { MINUTE, SECOND } from '#contract/time.ts'
import { isBlocked } from '../access/soft-block.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { openValues } from '../deployment/env/frozen-values.ts'
import type { EventQueue } from '../event/event.ts'
import { cronEvent } from '../event/event-payloads.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import type { ProjectStore } from '../project/project-store.ts'
import type { PeopleStores } from '../team/account-people.ts'
import type { TeamStore } from '../team/team-store.ts'
import { type Cron, type CronRun, FAILURES_TOLD, type RunState, type Trigger } from './cron.ts'
import { countRuns } from './cron-expression.ts'
import type { CronTrouble } from './cron-mails.ts'
import type { CronStore, RunChange } from './cron-store.ts'
import { CRON_JOB, keyOfRun, nextOf, queueNext, type RunOrder } from './queue-run.ts'

/** What a request to a deployment was answered with. Throws a `CallFailure` where nothing was. */
export type CallDeployment = (call: {
  readonly host: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}) => Promise<{ readonly status: number; readonly requestId: string | null }>

export interface CronJobStores extends PeopleStores {
  readonly crons: CronStore
  readonly jobs: JobQueue
  readonly projects: Pick<ProjectStore, 'byIdOrName' | 'deploymentsOf'>
  readonly events: EventQueue
  readonly teams: Pick<TeamStore, 'members' | 'byId'>
}

export interface CronJobParts {
  readonly transact: Transact<CronJobStores>
  readonly deployments: Pick<DeploymentStore, 'sealedEnv'>
  readonly vault: Vault
  readonly clock: Clock
  readonly call: CallDeployment
  /** Sends the mails, inside the transaction. */
  readonly onTrouble: (
    stores: CronJobStores,
    cron: Cron,
    project: { readonly name: string },
    trouble: CronTrouble,
  ) => Promise<void>
}

/** A run that is later than this did not happen when it should have. */
const GRACE = MINUTE
/** No function is allowed longer. */
const LONGEST_RUN = 15 * MINUTE
const AT_ONCE = 16
/** Of one account, whose runs may each take as long as a function may. */
const AT_ONCE_OF_ONE = 8
/** Nobody's run is to be missed because those of others do not end. */
const LONG_RUN = 10 * SECOND
/** Of the runs that a pause of the platform has cost, as many are counted: it takes up to half a millisecond each, in the transaction. */
const MOST_COUNTED = 100

interface BegunRun {
  readonly run: CronRun
  readonly cron: Cron
  readonly deployment: Deployment
}

/**
 * Does one run of a schedule, and orders the next. A run is begun once: whatever dies in the middle of it leaves it
 * `interrupted`, and made up for once where that is asked for.
 */
export function createCronJob(parts: CronJobParts): JobHandler {
  const { transact, clock } = parts
  return {
    kind: CRON_JOB,
    summary: 'Request a path of a production deployment on its schedule',
    timeLimit: LONGEST_RUN + MINUTE,
    // Each attempt after the first only records what became of the one before.
    maxAttempts: Number.POSITIVE_INFINITY,
    atOnce: AT_ONCE,
    ofOneAccount: AT_ONCE_OF_ONE,
    givesWayAfter: LONG_RUN,
    async run(payload, { signal }) {
      const order = payload as unknown as RunOrder
      const begun = await transact((stores) => new RunTransaction(parts, stores, clock.now()).begin(order))
      if (begun === undefined) return
      const result = await request(parts, begun, signal)
      await transact((stores) => new RunTransaction(parts, stores, clock.now()).end(begun, result))
    },
  }
}

/** What is written of one run, inside one transaction. */
class RunTransaction {
  readonly #parts: CronJobParts
  readonly #stores: CronJobStores
  readonly #now: number

  constructor(parts: CronJobParts, stores: CronJobStores, now: number) {
    this.#parts = parts
    this.#stores = stores
    this.#now = now
  }

  /** Undefined where there is nothing to request. */
  async begin(order: RunOrder): Promise<BegunRun | undefined> {
    const { crons } = this.#stores
    const cron = await crons.lock(order.cronId)
    if (!cron) return undefined
    const again = `${order.runId}_again`
    if ((await crons.run(again)) !== undefined) return this.#interrupted(cron, again)
    const before = await crons.run(order.runId)
    if (before !== undefined) {
      const wasRunning = before.state === 'running'
      await this.#interrupted(cron, order.runId)
      return wasRunning && cron.makeUp
        ? this.#start(cron, { ...order, runId: again, trigger: 'make-up' })
        : undefined
    }
    if (order.trigger !== 'schedule') return this.#start(cron, order)
    if (!cron.enabled || cron.nextAt !== order.dueAt) return undefined
    // A clock that was ahead for a while has ordered it too early or, for this one, too late.
    const isEarly = order.dueAt > this.#now + SECOND
    // The next may be due when this one says that it is: it is another job all the same.
    if (isEarly) await this.#stores.jobs.begun(keyOfRun(cron.id, order.dueAt))
    await this.#orderNext(cron, isEarly ? this.#now : Math.max(this.#now, order.dueAt))
    if (isEarly) return undefined
    if (this.#now - order.dueAt <= GRACE) return this.#start(cron, order)
    await this.#missed(cron, order)
    return cron.makeUp ? this.#start(cron, { ...order, runId: again, trigger: 'make-up' }) : undefined
  }

  async end(
    { run, cron: { id } }: BegunRun,
    { state, status = null, requestId = null, message = null }: RunChange & { readonly state: RunState },
  ): Promise<void> {
    const { crons } = this.#stores
    const cron = await crons.lock(id)
    if (!cron) return
    await crons.updateRun(run.id, { state, status, requestId, message, endedAt: this.#now })
    if (state !== 'failed') {
      if (cron.failures > 0) await crons.update(id, { failures: 0 })
      return
    }
    await this.#failed(cron, message ?? `The response was ${status}.`)
  }

  async #orderNext(cron: Cron, after: number): Promise<void> {
    const nextAt = nextOf(cron, after)
    await this.#stores.crons.update(cron.id, { nextAt })
    await queueNext(this.#stores.jobs, { ...cron, nextAt })
  }

  async #start(cron: Cron, { runId, trigger, dueAt }: RunOrder): Promise<BegunRun | undefined> {
    const { crons, projects } = this.#stores
    const project = await projects.byIdOrName(cron.ownerId, cron.projectId)
    const shown = await projects.deploymentsOf(cron.ownerId, [cron.projectId], 0)
    const deployment = shown.get(cron.projectId)?.production
    const begin = (state: RunState, message: string | null) =>
      this.#enter(cron, { id: runId, trigger, dueAt, state, message, deploymentId: deployment?.id ?? null })
    const skip = async (why: string) => {
      await begin('skipped', why)
      return undefined
    }
    if (!project || deployment?.host == null) return skip('There is no production deployment.')
    if (project.details.paused) return skip('The project is paused.')
    if (await isBlocked(this.#stores, cron.ownerId)) return skip('The account is blocked.')
    if (cron.overlap === 'skip' && (await crons.isRunning(cron.id)))
      return skip('The previous run was still in progress.')
    return { run: await begin('running', null), cron, deployment }
  }

  async #enter(
    { id: cronId }: Cron,
    given: Pick<CronRun, 'id' | 'dueAt' | 'state' | 'message' | 'deploymentId'> & {
      readonly trigger: Trigger
    },
  ): Promise<CronRun> {
    const isRunning = given.state === 'running'
    const run: CronRun = {
      ...given,
      cronId,
      startedAt: isRunning ? this.#now : null,
      endedAt: isRunning ? null : this.#now,
      status: null,
      requestId: null,
    }
    await this.#stores.crons.insertRun(run)
    return run
  }

  async #interrupted(cron: Cron, runId: string): Promise<undefined> {
    const run = await this.#stores.crons.run(runId)
    if (run?.state !== 'running') return
    const message = 'The platform stopped during the run.'
    await this.#stores.crons.updateRun(runId, { state: 'interrupted', message, endedAt: this.#now })
    await this.#failed(cron, message)
  }

  async #missed(cron: Cron, { runId: id, dueAt }: RunOrder): Promise<void> {
    const count = countRuns(cron, dueAt, this.#now, MOST_COUNTED)
    const more = count < MOST_COUNTED ? count - 1 : `At least ${count - 1}`
    const many = count > 1 ? ` ${more} more ${count === 2 ? 'run was' : 'runs were'} missed.` : ''
    const message = `The run due at ${new Date(dueAt).toISOString()} was missed because the platform was not running.${many}`
    await this.#enter(cron, {
      ...{ id, dueAt, message, trigger: 'schedule', state: 'missed', deploymentId: null },
    })
    await this.#tell(cron, { kind: 'missed', message })
  }

  async #failed(cron: Cron, message: string): Promise<void> {
    const failures = cron.failures + 1
    await this.#stores.crons.update(cron.id, { failures })
    if (failures === FAILURES_TOLD) await this.#tell({ ...cron, failures }, { kind: 'failed', message })
  }

  async #tell(cron: Cron, trouble: CronTrouble): Promise<void> {
    const { projects, events } = this.#stores
    const project = await projects.byIdOrName(cron.ownerId, cron.projectId)
    if (!project) return
    await events.emit(cronEvent(`cron.${trouble.kind}`, cron, trouble.message, this.#now))
    await this.#parts.onTrouble(this.#stores, cron, project, trouble)
  }
}

/** The user agent that applications look for. */
const USER_AGENT = 'vercel-cron/1.0'

async function request(
  { call, deployments, vault }: CronJobParts,
  { cron, deployment }: BegunRun,
  stopped: AbortSignal,
): Promise<RunChange & { readonly state: RunState }> {
  const sealed = await deployments.sealedEnv(deployment.id)
  const secret = sealed === undefined ? undefined : openValues(vault, deployment.id, sealed).env.CRON_SECRET
  const late = AbortSignal.timeout(LONGEST_RUN)
  try {
    const { status, requestId } = await call({
      host: deployment.host ?? '',
      path: cron.path,
      headers: {
        'user-agent': USER_AGENT,
        'x-vercel-cron-schedule': cron.schedule,
        ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      },
      signal: AbortSignal.any([stopped, late]),
    })
    const state = status < 400 ? 'succeeded' : 'failed'
    return { state, status, requestId, message: status < 400 ? null : `The response was ${status}.` }
  } catch (error) {
    // Whoever goes on finds that it was interrupted.
    stopped.throwIfAborted()
    const message = late.aborted
      ? `There was no response within ${LONGEST_RUN / MINUTE} minutes.`
      : `There was no response: ${(error as Error).message}.`
    return { state: 'failed', message }
  }
}
