import type { FailedJob, FailedJobs } from '#core/job/job-queue.ts'
import type { Clock } from '#core/ports/clock.ts'
import { changedOne } from '../database/changed-one.ts'
import { readPage } from '../database/page.ts'
import { atomically } from '../database/transaction.ts'
import type { Db } from '../tables.ts'

interface Parts {
  readonly clock: Clock
  readonly onEnqueue?: (() => void) | undefined
}

/** Jobs that were given up. */
export const createFailedJobs = (db: Db, { clock, onEnqueue }: Parts): FailedJobs => ({
  failed: (page) =>
    readPage(page, {
      select: ({ before, after, limit }) =>
        db
          .selectFrom('jobs')
          .select(['id', 'kind', 'created_at', 'failed_at', 'attempts', 'error'])
          .where('failed_at', '<', before)
          .where('failed_at', '>', after)
          .orderBy('failed_at', 'desc')
          .limit(limit)
          .execute(),
      timeOf: ({ failed_at }) => failed_at as number,
      show: ({ id, kind, created_at, failed_at, attempts, error }): FailedJob => ({
        id,
        kind,
        createdAt: created_at,
        failedAt: failed_at as number,
        attempts,
        error: error ?? '',
      }),
    }),

  async retryFailed(id) {
    const retried = await atomically(db, async (tx) => {
      const job = await tx
        .selectFrom('jobs')
        .select(['kind', 'key'])
        .where('id', '=', id)
        .where('failed_at', 'is not', null)
        .executeTakeFirst()
      if (!job) return undefined
      // Another one like it may wait by now; it stands for this one too.
      const waiting =
        job.key === null
          ? undefined
          : await tx
              .selectFrom('jobs')
              .select('id')
              .where('key', '=', job.key)
              .where('failed_at', 'is', null)
              .executeTakeFirst()
      if (waiting) {
        await tx.deleteFrom('jobs').where('id', '=', id).execute()
        return { id: waiting.id, kind: job.kind }
      }
      const now = clock.now()
      const isRevived = await changedOne(
        tx
          .updateTable('jobs')
          .set({ failed_at: null, worker: null, attempts: 0, run_at: now, due_at: now })
          .where('id', '=', id)
          // Somebody else may have had it tried again, and it may run by now.
          .where('failed_at', 'is not', null),
      )
      return isRevived ? { id, kind: job.kind } : undefined
    })
    if (retried) onEnqueue?.()
    return retried
  },

  forgetFailed: (id) =>
    changedOne(db.deleteFrom('jobs').where('id', '=', id).where('failed_at', 'is not', null)),
})
