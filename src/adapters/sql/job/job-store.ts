import { type ExpressionBuilder, sql } from 'kysely'
import { newId } from '#contract/ids.ts'
import { HOUR } from '#contract/time.ts'
import type { ScheduledJob } from '#core/job/clock-jump.ts'
import type { Job, JobStore, NewJob } from '#core/job/job-queue.ts'
import type { Clock } from '#core/ports/clock.ts'
import { changedOne } from '../database/changed-one.ts'
import { locksRows } from '../database/dialect/capabilities.ts'
import { knownLimit } from '../database/known-limit.ts'
import { atomically } from '../database/transaction.ts'
import type { Db, Tables } from '../tables.ts'
import { createFailedJobs } from './failed-jobs.ts'

interface JobStoreParts {
  readonly clock: Clock
  /** Called when a job was written. */
  readonly onEnqueue?: (() => void) | undefined
}

/** Enough for a message and a stack; what a handler throws has no bound of its own. */
const ERROR_LENGTH = 4000

const shorten = (error: string): string => error.slice(0, ERROR_LENGTH).replaceAll('\0', '')

const toScheduled = (
  row: Pick<Tables['jobs'], 'id' | 'key' | 'created_at' | 'due_at' | 'attempts' | 'worker'>,
): ScheduledJob => ({
  ...{ id: row.id, key: row.key, attempts: row.attempts },
  ...{ createdAt: row.created_at, dueAt: row.due_at, isLeased: row.worker !== null },
})

/** A job that a worker has is due again when its lease runs out, which is soon. */
const LONGEST_LEASE = HOUR

/** Of those who claim jobs of one share. */
const LOCK = 0x6a6f6273

/** Of two clocks that differ each has its own jobs. Where there is but one, the index alone tells. */
const dueBy = (now: number, leaseNow: number) => (eb: ExpressionBuilder<Tables, 'jobs'>) =>
  now === leaseNow
    ? eb('due_at', '<=', now)
    : eb.and([
        eb('due_at', '<=', Math.max(now, leaseNow)),
        eb.or([
          eb.and([eb('worker', 'is', null), eb('due_at', '<=', now)]),
          eb.and([eb('worker', 'is not', null), eb('due_at', '<=', leaseNow)]),
        ]),
      ])

type Claim = Parameters<JobStore['claim']>[0]

async function claim(
  db: Db,
  { kinds, worker, now, leaseNow = now, leaseUntil, limit, share, oneAtATime = false }: Claim,
): Promise<readonly Job[]> {
  const rows = await db
    .with('due', (qb) =>
      qb
        .selectFrom('jobs')
        .select('id')
        .where('failed_at', 'is', null)
        .where(dueBy(now, leaseNow))
        .where('kind', 'in', kinds)
        .$if(share !== undefined, (query) => query.where('share', '=', share as string))
        .$if(oneAtATime, (query) =>
          query.where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('jobs as leased')
                  .select('leased.id')
                  .where('leased.kind', 'in', kinds)
                  .where('leased.share', '=', share as string)
                  .where('leased.failed_at', 'is', null)
                  .where('leased.worker', 'is not', null)
                  .where('leased.due_at', '>', leaseNow)
                  .where('leased.due_at', '<=', leaseNow + LONGEST_LEASE),
              ),
            ),
          ),
        )
        .orderBy('due_at')
        .orderBy('id')
        .limit(knownLimit(limit))
        // What another worker is just claiming is not worth waiting for.
        .$if(locksRows(db), (query) => query.forUpdate().skipLocked()),
    )
    .updateTable('jobs')
    .from('due')
    .set((eb) => ({ worker, due_at: leaseUntil, attempts: eb('jobs.attempts', '+', 1) }))
    .whereRef('jobs.id', '=', 'due.id')
    .returning(['jobs.id', 'jobs.kind', 'jobs.payload', 'jobs.key', 'jobs.attempts', 'jobs.run_at'])
    .execute()
  return rows
    .sort((a, b) => a.run_at - b.run_at)
    .map(
      ({ id, kind, payload, key, attempts }): Job => ({
        ...{ id, kind, key, attempts },
        payload: JSON.parse(payload),
      }),
    )
}

export function createJobStore(db: Db, { clock, onEnqueue }: JobStoreParts): JobStore {
  const unfinished = (key: string) =>
    db.selectFrom('jobs').select('id').where('key', '=', key).where('failed_at', 'is', null)

  /** The id of the new job, or undefined when one of its key is unfinished. */
  async function insert({ kind, payload, key, share, runAt }: NewJob): Promise<string | undefined> {
    const now = clock.now()
    const row = await db
      .insertInto('jobs')
      .values({
        id: newId.job(),
        kind,
        payload: JSON.stringify(payload),
        key: key ?? null,
        share: share ?? null,
        created_at: now,
        run_at: runAt ?? now,
        due_at: runAt ?? now,
        attempts: 0,
        worker: null,
        error: null,
        failed_at: null,
      })
      .onConflict((conflict) => conflict.column('key').where('failed_at', 'is', null).doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id
  }

  const schedule = () =>
    db
      .selectFrom('jobs')
      .select(['id', 'key', 'created_at', 'due_at', 'attempts', 'worker'])
      .where('failed_at', 'is', null)

  /** The job while this worker holds its lease. */
  const leased = (id: string, worker: string) =>
    db.updateTable('jobs').where('id', '=', id).where('worker', '=', worker)

  return {
    ...createFailedJobs(db, { clock, onEnqueue }),

    async enqueue(job) {
      // Goes round again only if the unfinished job has finished between the two statements.
      for (;;) {
        const id = await insert(job)
        if (id !== undefined) {
          onEnqueue?.()
          return id
        }
        const there = job.key === undefined ? undefined : await unfinished(job.key).executeTakeFirst()
        if (there) return there.id
      }
    },

    async withdraw(key) {
      const { numDeletedRows } = await db
        .deleteFrom('jobs')
        .where('key', '=', key)
        .where('failed_at', 'is', null)
        .where('worker', 'is', null)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    async begun(key) {
      await db
        .updateTable('jobs')
        .set({ key: null })
        .where('key', '=', key)
        .where('failed_at', 'is', null)
        .where('worker', 'is not', null)
        .execute()
    },

    async claim(request) {
      if (request.kinds.length === 0 || request.limit <= 0) return []
      if (!request.oneAtATime || !locksRows(db)) return claim(db, request)
      // What another worker claims at the same time is seen only after it: whoever comes second looks then.
      return atomically(db, async (tx) => {
        const whose = `${request.kinds[0]} ${request.share}`
        await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)}, hashtext(${whose}))`.execute(tx)
        return claim(tx, request)
      })
    },

    async waiting(kind, now, leaseNow = now) {
      const unfinished = db
        .selectFrom('jobs')
        .where('kind', '=', kind)
        .where('share', 'is not', null)
        .where('failed_at', 'is', null)
      const due = await unfinished
        .select(({ fn }) => ['share', fn.min<number>('due_at').as('since')])
        .where(dueBy(now, leaseNow))
        .groupBy('share')
        .execute()
      // Thousands may be for later, as those of schedules are: they are not to be looked at whenever something happens.
      if (due.length === 0) return []
      const running = await unfinished
        .select(({ fn }) => ['share', fn.countAll<number>().as('count')])
        .where('due_at', '>', leaseNow)
        .where('due_at', '<=', leaseNow + LONGEST_LEASE)
        .where('worker', 'is not', null)
        .groupBy('share')
        .execute()
      const counts = new Map(running.map(({ share, count }) => [share, count]))
      return due
        .sort((a, b) => a.since - b.since)
        .map(({ share }) => ({ share: share as string, running: counts.get(share) ?? 0 }))
    },

    async queue(kind, now, limit, leaseNow = now) {
      const rows = await db
        .selectFrom('jobs')
        .select(['id', 'payload', 'share'])
        .where('kind', '=', kind)
        .where('share', 'is not', null)
        .where('failed_at', 'is', null)
        .where(dueBy(now, leaseNow))
        .orderBy('due_at')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(({ id, payload, share }) => ({
        id,
        payload: JSON.parse(payload),
        share: share as string,
      }))
    },

    extend: (id, worker, leaseUntil) => changedOne(leased(id, worker).set({ due_at: leaseUntil })),

    complete: (id, worker) =>
      changedOne(db.deleteFrom('jobs').where('id', '=', id).where('worker', '=', worker)),

    retry: (id, worker, runAt, error) =>
      changedOne(
        leased(id, worker).set({ run_at: runAt, due_at: runAt, worker: null, error: shorten(error) }),
      ),

    giveBack: (id, worker, now) =>
      changedOne(
        leased(id, worker).set((eb) => ({ due_at: now, worker: null, attempts: eb('attempts', '-', 1) })),
      ),

    async reclaim(worker, now) {
      await db.updateTable('jobs').set({ due_at: now, worker: null }).where('worker', '=', worker).execute()
    },

    bury: (id, worker, error, now) =>
      changedOne(leased(id, worker).set({ worker: null, error: shorten(error), failed_at: now })),

    async latest(limit, madeAfter) {
      const rows = await schedule()
        .$if(madeAfter !== undefined, (query) => query.where('created_at', '>', madeAfter as number))
        .orderBy('due_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toScheduled)
    },

    async scheduled(keys) {
      if (keys.length === 0) return []
      return (await schedule().where('key', 'in', keys).execute()).map(toScheduled)
    },

    reschedule({ id, dueAt }, newDueAt) {
      const now = clock.now()
      return changedOne(
        db
          .updateTable('jobs')
          .set((eb) => ({
            due_at: newDueAt,
            run_at: eb.case().when('run_at', '>', newDueAt).then(newDueAt).else(eb.ref('run_at')).end(),
            created_at: eb.case().when('created_at', '>', now).then(now).else(eb.ref('created_at')).end(),
          }))
          .where('id', '=', id)
          .where('due_at', '=', dueAt),
      )
    },

    async nextDue(kinds) {
      if (kinds.length === 0) return undefined
      const row = await db
        .selectFrom('jobs')
        .select('due_at')
        .where('failed_at', 'is', null)
        .where('kind', 'in', kinds)
        .orderBy('due_at')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst()
      return row?.due_at
    },

    counts: () =>
      db
        .selectFrom('jobs')
        .select(({ fn }) => [
          fn
            .countAll<number>()
            .filterWhere('failed_at', 'is', null)
            .filterWhere('worker', 'is', null)
            .as('queued'),
          fn.countAll<number>().filterWhere('worker', 'is not', null).as('running'),
          fn.countAll<number>().filterWhere('failed_at', 'is not', null).as('failed'),
        ])
        .executeTakeFirstOrThrow(),

    async prune(before) {
      const { numDeletedRows } = await db
        .deleteFrom('jobs')
        .where('failed_at', '<', before)
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}
