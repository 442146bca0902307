import { AloftError, invalidRequest, noSuch } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import type { Context } from '../access/context.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import { findProject } from '../project/find-project.ts'
import type { Project } from '../project/project.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { type Cron, type CronRun, MOST_CRONS } from './cron.ts'
import { whyNotSchedule } from './cron-expression.ts'
import type { CronStore } from './cron-store.ts'
import { nextOf, queueNext, queueNow } from './queue-run.ts'
import { whyNotPath } from './read-crons.ts'

/** A schedule and the last that became of it. */
interface KnownCron {
  readonly cron: Cron
  readonly last: CronRun | undefined
}

interface NewCron extends Pick<Cron, 'path' | 'schedule'> {
  readonly timeZone?: string | undefined
  readonly overlap?: Cron['overlap'] | undefined
  readonly makeUp?: boolean | undefined
}

interface CronChanges {
  readonly path?: string | undefined
  readonly schedule?: string | undefined
  readonly timeZone?: string | undefined
  readonly enabled?: boolean | undefined
  readonly overlap?: Cron['overlap'] | undefined
  readonly makeUp?: boolean | undefined
}

export interface Crons {
  list(ctx: Context, project: string): Promise<readonly KnownCron[]>
  create(ctx: Context, project: string, request: NewCron): Promise<Cron>
  /** Path, schedule and time zone of what a deployment names are changed by deploying. */
  update(ctx: Context, project: string, id: string, request: CronChanges): Promise<Cron>
  remove(ctx: Context, project: string, id: string): Promise<void>
  /** Answers the id of the run, which begins in a moment. */
  runNow(ctx: Context, project: string, id: string): Promise<string>
  runs(
    ctx: Context,
    project: string,
    id: string,
    page: { readonly limit: number; readonly until?: number | undefined },
  ): Promise<readonly CronRun[]>
}

interface CronStores {
  readonly projects: Pick<ProjectStore, 'byIdOrName' | 'lock'>
  readonly crons: CronStore
  readonly jobs: JobQueue
}

interface CronParts {
  readonly stores: CronStores
  readonly transact: Transact<CronStores>
  readonly clock: Clock
}

export function createCrons({ stores, transact, clock }: CronParts): Crons {
  async function findCron({ crons }: CronStores, { id: projectId }: Project, id: string): Promise<Cron> {
    const cron = (await crons.ofProject(projectId)).find((candidate) => candidate.id === id)
    if (!cron) throw noSuch('schedule', id, 'The project has')
    return cron
  }

  return {
    async list(ctx, idOrName) {
      const { id } = await findProject(stores.projects, ctx, idOrName, 'byIdOrName')
      const [all, last] = await Promise.all([stores.crons.ofProject(id), stores.crons.lastRuns(id)])
      return all.map((cron) => ({ cron, last: last.get(cron.id) }))
    },

    create: (ctx, idOrName, { path, schedule, timeZone = 'UTC', overlap = 'skip', makeUp = false }) => {
      check({ path, schedule, timeZone })
      return transact(async (tx) => {
        const { id: projectId, ownerId } = await findProject(tx.projects, ctx, idOrName, 'lock')
        if ((await tx.crons.ofProject(projectId)).length >= MOST_CRONS)
          throw new AloftError('conflict', `A project has at most ${MOST_CRONS} schedules.`)
        const now = clock.now()
        const cron: Cron = {
          ...{ id: newId.cron(), ownerId, projectId, source: 'api', path, schedule, timeZone },
          ...{ enabled: true, overlap, makeUp, failures: 0 },
          nextAt: nextOf({ enabled: true, schedule, timeZone }, now),
          ...{ createdAt: now, updatedAt: now },
        }
        await tx.crons.insert(cron)
        await queueNext(tx.jobs, cron)
        return cron
      })
    },

    update: (ctx, idOrName, id, request) =>
      transact(async (tx) => {
        const project = await findProject(tx.projects, ctx, idOrName, 'lock')
        await findCron(tx, project, id)
        // As its last run has left it.
        const before = await tx.crons.lock(id)
        if (!before) throw noSuch('schedule', id, 'The project has')
        const isTimed =
          request.path !== undefined || request.schedule !== undefined || request.timeZone !== undefined
        if (isTimed && before.source === 'config') throw namedByDeployment('changed')
        const now = clock.now()
        const changed: Cron = {
          ...before,
          // Key by key: a request may hold any others.
          path: request.path ?? before.path,
          schedule: request.schedule ?? before.schedule,
          timeZone: request.timeZone ?? before.timeZone,
          enabled: request.enabled ?? before.enabled,
          overlap: request.overlap ?? before.overlap,
          makeUp: request.makeUp ?? before.makeUp,
          updatedAt: now,
        }
        check(changed)
        const comesAsBefore =
          changed.enabled === before.enabled &&
          changed.schedule === before.schedule &&
          changed.timeZone === before.timeZone
        const cron = {
          ...changed,
          // Whoever switches it on again has mended it.
          failures: request.enabled === true ? 0 : before.failures,
          // A run that is due and not yet begun, or missed, is not to be lost.
          nextAt: comesAsBefore ? before.nextAt : nextOf(changed, now),
        }
        await tx.crons.update(id, cron)
        await queueNext(tx.jobs, cron)
        return cron
      }),

    remove: (ctx, idOrName, id) =>
      transact(async (tx) => {
        const cron = await findCron(tx, await findProject(tx.projects, ctx, idOrName, 'lock'), id)
        if (cron.source === 'config') throw namedByDeployment('removed')
        await tx.crons.remove(id)
      }),

    runNow: (ctx, idOrName, id) =>
      transact(async (tx) => {
        const cron = await findCron(tx, await findProject(tx.projects, ctx, idOrName, 'lock'), id)
        return queueNow(tx.jobs, cron, clock.now())
      }),

    async runs(ctx, idOrName, id, page) {
      await findCron(stores, await findProject(stores.projects, ctx, idOrName, 'byIdOrName'), id)
      return stores.crons.runs(id, page)
    },
  }
}

function check({ path, schedule, timeZone }: Pick<Cron, 'path' | 'schedule' | 'timeZone'>): void {
  const wrongPath = whyNotPath(path)
  if (wrongPath !== undefined) throw invalidRequest(`\`path\` ${wrongPath}`)
  const wrong = whyNotSchedule(schedule, timeZone)
  if (wrong !== undefined) throw invalidRequest(`\`schedule\` ${wrong}`)
}

const namedByDeployment = (what: string) =>
  new AloftError(
    'conflict',
    `The schedule comes from the production deployment and is ${what} with the next deployment. You can pause it.`,
  )
