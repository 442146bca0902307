import { MINUTE, SECOND } from '#contract/time.ts'
import { beforeAbort } from '../before-abort.ts'
import { sleep } from '../interruptible-pause.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import { isUnavailable } from '../ports/is-unavailable.ts'
import type { Log } from '../ports/log.ts'
import type { Transact } from '../ports/transact.ts'
import { rightDueAt, TOLERANCE } from './clock-jump.ts'
import { accountOf, doubling, type JobHandler, PermanentFailure } from './job-handler.ts'
import { JOBS_TOPIC, type Job, type JobStore } from './job-queue.ts'
import { inTurns, RecentWork } from './recent-work.ts'
import { recurringKey } from './recurring-key.ts'

interface RunnerParts {
  readonly store: JobStore
  readonly transact: Transact<{ readonly jobs: JobStore }>
  readonly handlers: readonly JobHandler[]
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly worker: string
  /** While it says so, nothing new is begun. */
  readonly isPaused?: () => boolean
  /** A worker that died is noticed after this long. */
  readonly leaseMs?: number
  /** By which leases run out: where workers are on several machines, a clock that these share. */
  readonly leaseTime?: (() => Promise<number>) | undefined
}

interface Lane {
  readonly kinds: readonly string[]
  readonly atOnce: number
  readonly takesTurns: boolean
  readonly inOrder: boolean
  readonly ofOneAccount: number
  readonly givesWayAfter: number
  readonly onWaiting: JobHandler['onWaiting']
  readonly mayBegin: JobHandler['mayBegin']
}

interface Running {
  readonly done: Promise<void>
  readonly abort: AbortController
  readonly handler: JobHandler
  readonly share: string | undefined
  readonly since: number
}

/** The process is stopping, which is not the job's fault. */
class Drained extends Error {
  override readonly name = 'Drained'
  override readonly message = 'the process is stopping'
}

/** Attempts beyond those that may fail, which ended with their process. More of them are the job's own doing. */
const MOST_LOST = 20

/** Jobs at once, of all kinds that have no workers of their own. */
const CONCURRENCY = 4
const MOST_TURNS = 10_000
/** Jobs, those that are due last, of all and of the future's, of which it is looked at whether they are due in time. */
const MOST_LOOKED_AT = 200
/** Of a longer queue the end is told when it comes nearer. */
const MOST_TOLD = 100

/** Between two looks, in case a wake-up was lost. */
const LONGEST_NAP = MINUTE
/** What is due but has to wait for another job is looked at after this, then twice as long, and so on. */
const SHORTEST_NAP = 50
const LONGEST_BLOCKED_NAP = 5 * SECOND

const isRecurring = ({ key, kind }: Job): boolean => key === recurringKey(kind)

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
  readonly #recent = new RecentWork()
  /** Those that were told that they wait, and behind how many. */
  readonly #reportedAhead = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #unsubscribe: (() => void) | undefined
  #looking: Promise<void> | undefined
  #again = false
  #started = false
  #draining = false
  #clockLookedAt = Number.POSITIVE_INFINITY
  #failureToldAt = Number.NEGATIVE_INFINITY
  /** Looks in a row that found something due which could not be begun. */
  #blocked = 0

  constructor(parts: RunnerParts) {
    this.#parts = { leaseMs: 30 * SECOND, isPaused: () => false, leaseTime: undefined, ...parts }
    this.#handlers = new Map(parts.handlers.map((handler) => [handler.kind, handler]))
    const own = parts.handlers.filter(({ atOnce }) => atOnce !== undefined)
    const others = parts.handlers.filter(({ atOnce }) => atOnce === undefined)
    const common = others.filter(({ apart }) => apart === undefined)
    const plain = (kinds: readonly JobHandler[], atOnce: number): Lane => ({
      ...{ kinds: kinds.map(({ kind }) => kind), atOnce, takesTurns: false, inOrder: false },
      ...{ ofOneAccount: Number.POSITIVE_INFINITY, givesWayAfter: Number.POSITIVE_INFINITY },
      ...{ onWaiting: undefined, mayBegin: undefined },
    })
    this.#lanes = [
      plain(common, CONCURRENCY),
      ...others.flatMap((handler) => (handler.apart === undefined ? [] : [plain([handler], handler.apart)])),
      ...own.map(
        ({ kind, atOnce = 1, inOrder = false, givesWayAfter = Number.POSITIVE_INFINITY, ...own }) => ({
          ...{ kinds: [kind], atOnce, takesTurns: true, inOrder, givesWayAfter },
          ofOneAccount: own.ofOneAccount ?? Number.POSITIVE_INFINITY,
          ...{ onWaiting: own.onWaiting, mayBegin: own.mayBegin },
        }),
      ),
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
    this.#started = true
    this.#unsubscribe = bus.subscribe(JOBS_TOPIC, () => this.#wakeFresh())
    this.wake()
  }

  /** Something has happened: what was blocked may not be any more. */
  #wakeFresh(): void {
    this.#blocked = 0
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
    const { store, clock, log } = this.#parts
    clearTimeout(this.#timer)
    let nap: number = LONGEST_NAP
    try {
      while (this.#again && !this.#draining) {
        this.#again = false
        for (const lane of this.#lanes) if (await this.#fill(lane)) this.#again = true
      }
      if (clock.monotonic() - this.#clockLookedAt > LONGEST_NAP) await this.#setClockRight()
      for (const lane of this.#lanes) nap = Math.min(nap, await this.#tendQueue(lane))
      const kinds = this.#lanes.filter((lane) => this.#free(lane) > 0).flatMap((lane) => lane.kinds)
      const due = await store.nextDue(kinds)
      if (due !== undefined) {
        const now = clock.now()
        nap = Math.min(nap, this.#napUntil(due - Math.max(now, await this.#leaseNow(now))))
      }
    } catch (error) {
      // A full disk may stay full for days.
      if (clock.monotonic() - this.#failureToldAt >= MINUTE) {
        this.#failureToldAt = clock.monotonic()
        log.error({ err: error }, 'the job queue could not be read')
      }
      this.#again = false
      nap = SECOND
    }
    if (this.#started && !this.#draining) this.#timer = setTimeout(() => this.wake(), nap)
  }

  async #leaseNow(now: number): Promise<number> {
    const { leaseTime } = this.#parts
    return leaseTime ? await leaseTime() : now
  }

  #napUntil(ms: number): number {
    if (ms > 0) {
      this.#blocked = 0
      return Math.max(ms, SHORTEST_NAP)
    }
    return Math.min(SHORTEST_NAP * 2 ** this.#blocked++, LONGEST_BLOCKED_NAP)
  }

  /** Brings forward what a clock that was ahead for a while would keep waiting. */
  async #setClockRight(): Promise<void> {
    const { store, clock, leaseMs, log } = this.#parts
    this.#clockLookedAt = clock.monotonic()
    const now = clock.now()
    const leaseNow = await this.#leaseNow(now)
    const rounds = [...this.#handlers.values()].flatMap(({ kind, every }) =>
      every === undefined ? [] : [[recurringKey(kind), every] as const],
    )
    const rules = { leaseMs, every: new Map(rounds) }
    // Thousands may be due later than these, and rightly so.
    const jobs = [
      ...(await store.scheduled([...rules.every.keys()])),
      ...(await store.latest(MOST_LOOKED_AT, now + TOLERANCE)),
      ...(await store.latest(MOST_LOOKED_AT)),
    ]
    for (const job of new Map(jobs.map((job) => [job.id, job])).values()) {
      const dueAt = rightDueAt(job, job.isLeased ? leaseNow : now, rules)
      if (dueAt < job.dueAt && (await store.reschedule(job, dueAt)))
        log.warn(
          { job: job.id, name: job.key, wasDueAt: job.dueAt, dueAt },
          'a job was scheduled too far in the future: did the clock jump?',
        )
    }
  }

  #runningIn({ kinds }: Lane): readonly Running[] {
    return [...this.#running.values()].filter(({ handler }) => kinds.includes(handler.kind))
  }

  #free(lane: Lane): number {
    return lane.atOnce - this.#runningIn(lane).length
  }

  /** Room beside those that have run for so long that others should not wait for them. */
  #extra(lane: Lane): number {
    const running = this.#runningIn(lane)
    const now = this.#parts.clock.monotonic()
    const long = running.filter(({ since }) => now - since >= lane.givesWayAfter).length
    return Math.min(long, lane.atOnce) - Math.max(0, running.length - lane.atOnce)
  }

  /** Tells those that wait, and answers when somebody may have to give way. */
  async #tendQueue(lane: Lane): Promise<number> {
    const { store, clock, log } = this.#parts
    const { kinds, onWaiting, atOnce, givesWayAfter } = lane
    const [kind] = kinds
    if (!lane.takesTurns || kind === undefined || this.#free(lane) > 0) return Number.POSITIVE_INFINITY
    const now = clock.now()
    if (onWaiting) {
      const shares = (await this.#inOrder(lane, now)).map(({ share }) => share)
      const queue = inTurns(await store.queue(kind, now, MOST_TOLD, await this.#leaseNow(now)), shares)
      if (queue.length === 0) this.#reportedAhead.clear()
      for (const [ahead, { id, payload }] of queue.entries()) {
        const before = this.#reportedAhead.get(id)
        if (before === ahead) continue
        this.#reportedAhead.set(id, ahead)
        const { usual } = this.#recent
        const expected = usual === undefined ? undefined : (usual * (ahead + 1)) / atOnce
        await onWaiting(payload, { ahead, expected, isFirst: before === undefined }).catch((err: unknown) =>
          log.warn({ err, job: id }, 'the waiting status of a job could not be recorded'),
        )
      }
    }
    const monotonic = clock.monotonic()
    const next = this.#runningIn(lane).map(({ since }) => since + givesWayAfter - monotonic)
    return Math.min(...next.filter((ms) => ms > 0))
  }

  /** Begins what a lane has room for. True when there may be more to take. */
  async #fill(lane: Lane): Promise<boolean> {
    const { store, clock, leaseMs, worker, isPaused } = this.#parts
    if (isPaused()) return false
    const free = this.#free(lane)
    if ((free <= 0 && this.#extra(lane) <= 0) || lane.kinds.length === 0) return false
    if (lane.mayBegin?.() === false && this.#runningIn(lane).length > 0) return false
    const now = clock.now()
    const share = lane.takesTurns ? await this.#nextShare(lane, now, free <= 0) : undefined
    if (lane.takesTurns && share === undefined) return false
    const limit = lane.takesTurns ? 1 : free
    const leaseNow = await this.#leaseNow(now)
    const jobs = await store.claim({
      kinds: lane.kinds,
      worker,
      now,
      leaseNow,
      leaseUntil: leaseNow + leaseMs,
      limit,
      ...(share === undefined ? {} : { share, oneAtATime: lane.inOrder }),
    })
    // A lease that this worker let run out can come back to it while the work still goes on.
    for (const job of jobs) if (!this.#running.has(job.id)) this.#begin(job, share)
    return jobs.length === limit
  }

  /**
   * Who waits: those with the fewest jobs under way first; among equals, those whose jobs took the least time of late,
   * and then those whose last turn is the longest ago.
   */
  async #inOrder({ kinds }: Lane, now: number) {
    const waiting = await this.#parts.store.waiting(kinds[0] as string, now, await this.#leaseNow(now))
    const turnOf = (share: string) => this.#turns.get(share) ?? 0
    const monotonic = this.#parts.clock.monotonic()
    const usedBy = (share: string) => this.#recent.of(share, monotonic)
    return waiting.toSorted(
      (a, b) =>
        a.running - b.running || usedBy(a.share) - usedBy(b.share) || turnOf(a.share) - turnOf(b.share),
    )
  }

  async #nextShare(lane: Lane, now: number, onlyIdle: boolean): Promise<string | undefined> {
    const waiting = await this.#inOrder(lane, now)
    const accounts = this.#runningIn(lane).map(({ share = '' }) => accountOf(share))
    const hasRoom = (share: string) =>
      accounts.filter((account) => account === accountOf(share)).length < lane.ofOneAccount
    const next = waiting.find(
      ({ share, running }) => (running === 0 || !(lane.inOrder || onlyIdle)) && hasRoom(share),
    )
    if (next === undefined) return undefined
    if (this.#turns.size >= MOST_TURNS) this.#turns.clear()
    this.#turns.set(next.share, ++this.#turn)
    return next.share
  }

  #begin(job: Job, share: string | undefined): void {
    const { clock } = this.#parts
    const since = clock.monotonic()
    this.#reportedAhead.delete(job.id)
    const handler = this.#handlers.get(job.kind) as JobHandler
    const abort = new AbortController()
    const done = this.#run(job, handler, abort)
      .catch((error) =>
        this.#parts.log.error({ err: error, job: job.id }, 'the end of a job could not be recorded'),
      )
      .finally(() => {
        this.#running.delete(job.id)
        if (share !== undefined) this.#recent.add(share, clock.monotonic() - since, clock.monotonic())
        this.#wakeFresh()
        // The next in line may be for another process to take.
        if (handler.inOrder) this.#parts.bus.publish(JOBS_TOPIC, '')
      })
    this.#running.set(job.id, { done, abort, handler, share, since })
  }

  async #run(job: Job, handler: JobHandler, abort: AbortController): Promise<void> {
    const { store, clock, leaseMs, worker } = this.#parts
    const log = this.#parts.log.child({ job: job.id, kind: job.kind, attempt: job.attempts })
    // A job that brings down whoever does it would do so for ever: nobody is left to say that it failed.
    if (!isRecurring(job) && job.attempts > handler.maxAttempts + MOST_LOST)
      return this.#fail(job, handler, new Error('the process ended each time that it did this job'), log)
    const limit = setTimeout(
      () => abort.abort(new Error(`the job took longer than its limit of ${handler.timeLimit / SECOND} s`)),
      handler.timeLimit,
    )
    const beat = setInterval(() => {
      const extended = this.#leaseNow(clock.now()).then((now) => store.extend(job.id, worker, now + leaseMs))
      extended.then(
        (kept) => kept || abort.abort(new Error('the lease of the job was lost')),
        (error) => log.warn({ err: error }, 'the lease of a job could not be extended'),
      )
    }, leaseMs / 3)
    try {
      const failure = await beforeAbort(
        handler.run(job.payload, { id: job.id, attempt: job.attempts, signal: abort.signal, log }),
        abort.signal,
      ).then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      clearTimeout(limit)
      if (failure) await this.#fail(job, handler, failure.error, log)
      else await this.#finish(job, handler, abort.signal, log)
    } finally {
      clearTimeout(limit)
      clearInterval(beat)
    }
  }

  /**
   * What was done is done: while the database is away its end is not given up, as whoever gets the job next would do it
   * once more.
   */
  async #finish(job: Job, handler: JobHandler, signal: AbortSignal, log: Log): Promise<void> {
    for (let pause = SHORTEST_NAP; ; pause = Math.min(pause * 2, SECOND))
      try {
        return await this.#complete(job, handler)
      } catch (error) {
        if (!isUnavailable(error)) return this.#fail(job, handler, error, log)
        if (signal.aborted) throw error
        await sleep(pause, signal)
      }
  }

  #complete(job: Job, handler: JobHandler): Promise<void> {
    const { transact, clock, worker } = this.#parts
    return transact(async ({ jobs }) => {
      const kept = await jobs.complete(job.id, worker)
      if (kept && handler.every !== undefined && isRecurring(job))
        await jobs.enqueue({
          kind: job.kind,
          payload: {},
          key: recurringKey(job.kind),
          runAt: clock.now() + handler.every,
        })
    })
  }

  async #fail(job: Job, handler: JobHandler, error: unknown, log: Log): Promise<void> {
    const { store, clock, worker } = this.#parts
    if (error instanceof Drained) {
      await store.giveBack(job.id, worker, clock.now())
      return
    }
    const text = error instanceof Error ? error.message : String(error)
    if (!isRecurring(job) && (error instanceof PermanentFailure || job.attempts >= handler.maxAttempts)) {
      log.error({ err: error }, 'a job failed every attempt')
      await store.bury(job.id, worker, text, clock.now())
    } else {
      const pause = (handler.backOff ?? doubling)(job.attempts)
      log.warn({ err: error, pause }, 'a job failed and will be retried')
      await store.retry(job.id, worker, clock.now() + pause, text)
    }
  }
}
