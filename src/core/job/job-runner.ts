import { MINUTE, SECOND } from '#contract/time.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Transact } from '../ports/transact.ts'
import { doubling, type JobHandler, PermanentFailure } from './job-handler.ts'
import { JOBS_TOPIC, type Job, type JobStore } from './job-queue.ts'

interface RunnerParts {
  readonly store: JobStore
  readonly transact: Transact<{ readonly jobs: JobStore }>
  readonly handlers: readonly JobHandler[]
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly worker: string
  readonly concurrency?: number
  /** A worker that died is noticed after this long. */
  readonly leaseMs?: number
  /** The longest nap between two looks, in case a wake-up was lost. */
  readonly pollMs?: number
}

export const recurringKey = (kind: string): string => `recurring:${kind}`

/** Takes jobs and does them, several at once, until it is drained. */
export class JobRunner {
  readonly #parts: Required<RunnerParts>
  readonly #handlers: ReadonlyMap<string, JobHandler>
  readonly #running = new Map<string, { done: Promise<void>; abort: AbortController }>()
  #timer: NodeJS.Timeout | undefined
  #unsubscribe: (() => void) | undefined
  #looking: Promise<void> | undefined
  #again = false
  #draining = false

  constructor(parts: RunnerParts) {
    this.#parts = { concurrency: 4, leaseMs: 30 * SECOND, pollMs: MINUTE, ...parts }
    this.#handlers = new Map(parts.handlers.map((handler) => [handler.kind, handler]))
  }

  async start(): Promise<void> {
    const { store, clock, bus } = this.#parts
    for (const { kind, every } of this.#handlers.values())
      if (every !== undefined)
        await store.enqueue({ kind, payload: {}, key: recurringKey(kind), runAt: clock.now() + every })
    this.#unsubscribe = bus.subscribe(JOBS_TOPIC, () => this.wake())
    this.wake()
  }

  /** Looks for work now. Cheap to call often: looks that overlap become one more look. */
  wake(): void {
    if (this.#draining) return
    this.#again = true
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
      if (this.#again) this.wake()
    })
  }

  /** Takes no more jobs and lets those under way end; what is left at the deadline is aborted and retried. */
  async drain(ms: number): Promise<void> {
    this.#draining = true
    this.#unsubscribe?.()
    clearTimeout(this.#timer)
    await this.#looking
    const all = Promise.allSettled([...this.#running.values()].map(({ done }) => done))
    const deadline = setTimeout(() => {
      for (const { abort } of this.#running.values()) abort.abort(new Error('the process is stopping'))
    }, ms)
    await all
    clearTimeout(deadline)
  }

  /** Resolves when nothing is being done and nothing is due; for tests. */
  async idle(): Promise<void> {
    for (;;) {
      this.wake()
      await this.#looking
      if (this.#running.size === 0) return
      await Promise.allSettled([...this.#running.values()].map(({ done }) => done))
    }
  }

  async #look(): Promise<void> {
    const { store, clock, concurrency, leaseMs, pollMs, worker, log } = this.#parts
    clearTimeout(this.#timer)
    const kinds = [...this.#handlers.keys()]
    let nap: number = pollMs
    try {
      while (this.#again && !this.#draining) {
        this.#again = false
        const free = concurrency - this.#running.size
        if (free <= 0) break
        const now = clock.now()
        const jobs = await store.claim({ kinds, worker, now, leaseUntil: now + leaseMs, limit: free })
        // A lease that this worker let run out can come back to it while the work still goes on.
        for (const job of jobs) if (!this.#running.has(job.id)) this.#begin(job)
        if (jobs.length === free) this.#again = true
      }
      const due = await store.nextDue(kinds)
      if (due !== undefined) nap = Math.min(nap, Math.max(due - clock.now(), 50))
    } catch (error) {
      log.error({ err: error }, 'the job queue could not be read')
      this.#again = false
      nap = SECOND
    }
    if (!this.#draining) this.#timer = setTimeout(() => this.wake(), nap)
  }

  #begin(job: Job): void {
    const abort = new AbortController()
    const done = this.#run(job, abort)
      .catch((error) =>
        this.#parts.log.error({ err: error, job: job.id }, 'the end of a job could not be recorded'),
      )
      .finally(() => {
        this.#running.delete(job.id)
        this.wake()
      })
    this.#running.set(job.id, { done, abort })
  }

  async #run(job: Job, abort: AbortController): Promise<void> {
    const { store, clock, leaseMs, worker } = this.#parts
    const handler = this.#handlers.get(job.kind) as JobHandler
    const log = this.#parts.log.child({ job: job.id, kind: job.kind, attempt: job.attempts })
    const limit = setTimeout(
      () => abort.abort(new Error(`the job took longer than its limit of ${handler.timeLimit / SECOND} s`)),
      handler.timeLimit,
    )
    const beat = setInterval(() => {
      store.extend(job.id, worker, clock.now() + leaseMs).then(
        (kept) => kept || abort.abort(new Error('the lease of the job was lost')),
        (error) => log.warn({ err: error }, 'the lease of a job could not be extended'),
      )
    }, leaseMs / 3)
    try {
      await abortable(
        handler.run(job.payload, { id: job.id, attempt: job.attempts, signal: abort.signal, log }),
        abort,
      )
      await this.#finish(job, handler)
    } catch (error) {
      await this.#fail(job, handler, error, log)
    } finally {
      clearTimeout(limit)
      clearInterval(beat)
    }
  }

  #finish(job: Job, handler: JobHandler): Promise<void> {
    const { transact, clock, worker } = this.#parts
    return transact(async ({ jobs }) => {
      const kept = await jobs.complete(job.id, worker)
      if (kept && handler.every !== undefined && job.key === recurringKey(job.kind))
        await jobs.enqueue({ kind: job.kind, payload: {}, key: job.key, runAt: clock.now() + handler.every })
    })
  }

  async #fail(job: Job, handler: JobHandler, error: unknown, log: Log): Promise<void> {
    const { store, clock, worker } = this.#parts
    const text = error instanceof Error ? error.message : String(error)
    const recurring = job.key === recurringKey(job.kind)
    if (!recurring && (error instanceof PermanentFailure || job.attempts >= handler.maxAttempts)) {
      log.error({ err: error }, 'a job failed for good')
      await store.bury(job.id, worker, text, clock.now())
    } else {
      const pause = (handler.backOff ?? doubling)(job.attempts)
      log.warn({ err: error, pause }, 'a job failed and will be tried again')
      await store.retry(job.id, worker, clock.now() + pause, text)
    }
  }
}

/** The work, or the abort if that comes first: a handler that ignores its signal holds nobody up. */
function abortable<T>(work: Promise<T>, { signal }: AbortController): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', onAbort))
}
