import { MINUTE, SECOND } from '#contract/time.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Transact } from '../ports/transact.ts'
import { rightDueAt } from './clock-jump.ts'
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

interface Lane {
  readonly kinds: readonly string[]
  readonly atOnce: number
  readonly takesTurns: boolean
  readonly inOrder: boolean
}

interface Running {
  readonly done: Promise<void>
  readonly abort: AbortController
  readonly handler: JobHandler
}

/** The process is stopping, which is not the job's fault. */
class Drained extends Error {
  override readonly name = 'Drained'
  override readonly message = 'the process is stopping'
}

const MOST_TURNS = 10_000
/** Jobs, those that are due last, of which it is looked at whether they are due in time. */
const MOST_LOOKED_AT = 200

export const recurringKey = (kind: string): string => `recurring:${kind}`

/** Takes jobs and does them, several at once, until it is drained. */
export class JobRunner {
  readonly #parts: Required<RunnerParts>
  readonly #handlers: ReadonlyMap<string, JobHandler>
  /** Kinds that share all workers, and kinds that have workers of their own. */
  readonly #lanes: readonly Lane[]
  readonly #running = new Map<string, Running>()
  /** When each share last had its turn, for those kinds that take turns. */
  readonly #turns = new Map<string, number>()
  #turn = 0
  #timer: NodeJS.Timeout | undefined
  #unsubscribe: (() => void) | undefined
  #looking: Promise<void> | undefined
  #again = false
  #draining = false
  #clockLookedAt = Number.POSITIVE_INFINITY

  constructor(parts: RunnerParts) {
    this.#parts = { concurrency: 4, leaseMs: 30 * SECOND, pollMs: MINUTE, ...parts }
    this.#handlers = new Map(parts.handlers.map((handler) => [handler.kind, handler]))
    const own = parts.handlers.filter(({ atOnce }) => atOnce !== undefined)
    const common = parts.handlers.filter(({ atOnce }) => atOnce === undefined)
    this.#lanes = [
      {
        kinds: common.map(({ kind }) => kind),
        atOnce: this.#parts.concurrency,
        takesTurns: false,
        inOrder: false,
      },
      ...own.map(({ kind, atOnce = 1, inOrder = false }) => ({
        kinds: [kind],
        atOnce,
        takesTurns: true,
        inOrder,
      })),
    ]
  }

  async start(): Promise<void> {
    const { store, clock, bus, worker } = this.#parts
    // What this worker held when it died would otherwise wait until its lease runs out.
    await store.reclaim(worker, clock.now())
    for (const { kind, every } of this.#handlers.values())
      if (every !== undefined)
        await store.enqueue({ kind, payload: {}, key: recurringKey(kind), runAt: clock.now() + every })
    await this.#setClockRight()
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
    for (const { abort, handler } of this.#running.values())
      if (handler.atOnce !== undefined) abort.abort(new Drained())
    const all = Promise.allSettled([...this.#running.values()].map(({ done }) => done))
    const deadline = setTimeout(() => {
      for (const { abort } of this.#running.values()) abort.abort(new Drained())
    }, ms)
    await all
    clearTimeout(deadline)
  }

  /** Resolves when nothing is being done and nothing is due; for tests. */
  async idle(): Promise<void> {
    for (;;) {
      // A look while something ran may have left what has to wait for that.
      const wasQuiet = this.#running.size === 0 && this.#looking === undefined
      this.wake()
      while (this.#looking) await this.#looking
      if (wasQuiet && this.#running.size === 0) return
      await Promise.allSettled([...this.#running.values()].map(({ done }) => done))
    }
  }

  async #look(): Promise<void> {
    const { store, clock, pollMs, log } = this.#parts
    clearTimeout(this.#timer)
    let nap: number = pollMs
    try {
      while (this.#again && !this.#draining) {
        this.#again = false
        for (const lane of this.#lanes) if (await this.#fill(lane)) this.#again = true
      }
      if (performance.now() - this.#clockLookedAt > pollMs) await this.#setClockRight()
      const kinds = this.#lanes.filter((lane) => this.#free(lane) > 0).flatMap((lane) => lane.kinds)
      const due = await store.nextDue(kinds)
      if (due !== undefined) nap = Math.min(nap, Math.max(due - clock.now(), 50))
    } catch (error) {
      log.error({ err: error }, 'the job queue could not be read')
      this.#again = false
      nap = SECOND
    }
    if (!this.#draining) this.#timer = setTimeout(() => this.wake(), nap)
  }

  /** Brings forward what a clock that was ahead for a while would keep waiting. */
  async #setClockRight(): Promise<void> {
    const { store, clock, leaseMs, log } = this.#parts
    this.#clockLookedAt = performance.now()
    const now = clock.now()
    const rounds = [...this.#handlers.values()].flatMap(({ kind, every }) =>
      every === undefined ? [] : [[recurringKey(kind), every] as const],
    )
    const rules = { leaseMs, every: new Map(rounds) }
    for (const job of await store.latest(MOST_LOOKED_AT)) {
      const dueAt = rightDueAt(job, now, rules)
      if (dueAt < job.dueAt && (await store.reschedule(job, dueAt)))
        log.warn(
          { job: job.id, key: job.key, wasDueAt: job.dueAt, dueAt },
          'a job was due too late: did the clock jump?',
        )
    }
  }

  #free({ kinds, atOnce }: Lane): number {
    const taken = [...this.#running.values()].filter(({ handler }) => kinds.includes(handler.kind))
    return atOnce - taken.length
  }

  /** Begins what a lane has room for. True when there may be more to take. */
  async #fill(lane: Lane): Promise<boolean> {
    const { store, clock, leaseMs, worker } = this.#parts
    const free = this.#free(lane)
    if (free <= 0 || lane.kinds.length === 0) return false
    const now = clock.now()
    const share = lane.takesTurns ? await this.#nextShare(lane, now) : undefined
    if (lane.takesTurns && share === undefined) return false
    const limit = lane.takesTurns ? 1 : free
    const jobs = await store.claim({
      kinds: lane.kinds,
      worker,
      now,
      leaseUntil: now + leaseMs,
      limit,
      ...(share === undefined ? {} : { share }),
    })
    // A lease that this worker let run out can come back to it while the work still goes on.
    for (const job of jobs) if (!this.#running.has(job.id)) this.#begin(job)
    return jobs.length === limit
  }

  /** The one with the fewest jobs under way; among equals, the one whose last turn is the longest ago. */
  async #nextShare({ kinds, inOrder }: Lane, now: number): Promise<string | undefined> {
    const all = await this.#parts.store.waiting(kinds[0] as string, now)
    const waiting = inOrder ? all.filter(({ running }) => running === 0) : all
    const turnOf = (share: string) => this.#turns.get(share) ?? 0
    const [next] = waiting.toSorted((a, b) => a.running - b.running || turnOf(a.share) - turnOf(b.share))
    if (next === undefined) return undefined
    if (this.#turns.size >= MOST_TURNS) this.#turns.clear()
    this.#turns.set(next.share, ++this.#turn)
    return next.share
  }

  #begin(job: Job): void {
    const handler = this.#handlers.get(job.kind) as JobHandler
    const abort = new AbortController()
    const done = this.#run(job, handler, abort)
      .catch((error) =>
        this.#parts.log.error({ err: error, job: job.id }, 'the end of a job could not be recorded'),
      )
      .finally(() => {
        this.#running.delete(job.id)
        this.wake()
      })
    this.#running.set(job.id, { done, abort, handler })
  }

  async #run(job: Job, handler: JobHandler, abort: AbortController): Promise<void> {
    const { store, clock, leaseMs, worker } = this.#parts
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
    if (error instanceof Drained) {
      await store.giveBack(job.id, worker, clock.now())
      return
    }
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
