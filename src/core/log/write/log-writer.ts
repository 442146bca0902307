import { SECOND } from '#contract/time.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import { isUnavailable } from '../../ports/is-unavailable.ts'
import type { Log } from '../../ports/log.ts'
import { withinTime } from '../../within-time.ts'
import { isVisit, type NewRecord } from '../log-block.ts'
import { boundDraft, type LogDraft, type NewLogEntry } from '../log-entry.ts'
import { LOGS_TOPIC, type LogStore } from '../log-store.ts'
import type { LoggedVisit } from '../logged-visit.ts'
import { createLogIds, logId } from './log-ids.ts'

interface WriterParts {
  readonly store: Pick<LogStore, 'append'>
  readonly bus: Pick<Bus, 'publish'>
  readonly clock: Clock
  readonly log: Log
  /** How much text may wait in memory before visits are dropped. */
  readonly maxBytes?: number
  /** Whether the disk has room for more; what comes while it has not is dropped, and counted. */
  readonly hasRoom?: () => boolean
}

/** A transaction is worth it at this many records, or once the first of them has waited this long. */
const ENOUGH = { lines: 100, visits: 1000 } as const
/** Somebody may be waiting for a line; visits cost the less the more of them are written together. */
const WAIT = { lines: 20, visits: 250 } as const
/** More than enough when records came faster than they were written, but no longer a pause for everybody else. */
const MOST = { lines: 500, visits: 1000 } as const

const FIRST_PAUSE = 50
const LONGEST_PAUSE = 5 * SECOND
const QUIET = 10 * SECOND

/** Everything of a record but its texts, roughly. */
const RECORD_BYTES = 500

const bytesOf = (record: NewRecord): number =>
  RECORD_BYTES +
  (isVisit(record) ? record.visit.path.length + record.visit.userAgent.length : record.text.length)

/**
 * Writes entries in the background, many in one transaction, in the order they were taken. No caller ever
 * gets an error: what cannot be written now is tried again for as long as the writer is open.
 */
export class LogWriter {
  readonly #parts: Required<WriterParts>
  readonly #take: ReturnType<typeof createLogIds>
  readonly #queue: NewRecord[] = []
  /** Who waits for what. Beside the queue, because nobody waits for visits. */
  readonly #waiting = new Map<NewRecord, () => void>()
  #bytes = 0
  /** Records in the queue that are no visits. */
  #lines = 0
  #taken = 0
  #settled = 0
  #timer: NodeJS.Timeout | undefined
  #timerFor: 'lines' | 'visits' = 'visits'
  #writing: Promise<void> | undefined
  #endPause: (() => void) | undefined
  #closing: Promise<void> | undefined
  #state: 'open' | 'closing' | 'closed' = 'open'
  #dropped = 0
  #untold = 0
  #reason: unknown
  #quiet: NodeJS.Timeout | undefined
  /** Deployments and projects that have entries of which nobody was told yet. */
  readonly #grown = new Set<string>()
  #tellTimer: NodeJS.Timeout | undefined

  constructor(parts: WriterParts) {
    this.#parts = { maxBytes: 32 * 1024 * 1024, hasRoom: () => true, ...parts }
    this.#take = createLogIds(parts.clock)
  }

  /** How many lines and visits were lost: because too many waited, nothing could store them, or the writer was closed. */
  get dropped(): number {
    return this.#dropped
  }

  /** Takes an entry and returns at once. Under extreme load it is dropped, and counted. */
  record(draft: LogDraft): void {
    if (this.#isOpen()) this.#push(this.#toEntry(draft))
  }

  /** The same for a visit, which is read as two entries: of every visit, so it has to be cheap. */
  recordVisit(visit: LoggedVisit, region: string): void {
    if (!this.#isOpen()) return
    // It has just ended: to look at the clock again takes as long as all the rest.
    const { takenAt, count } = this.#take(2, Math.floor(visit.at + visit.ms))
    this.#push({ visit, region, takenAt, count })
  }

  /** Takes an entry whatever waits already; resolves once it is stored, so whoever waits for that is slowed down. */
  save(draft: LogDraft): Promise<void> {
    if (this.#state !== 'open') {
      this.#drop(1)
      return Promise.resolve()
    }
    return new Promise((settle) => {
      const entry = this.#toEntry(draft)
      this.#waiting.set(entry, settle)
      this.#push(entry)
    })
  }

  /** Resolves once everything taken so far is stored. */
  async flush(): Promise<void> {
    const target = this.#taken
    while (this.#settled < target) await this.#start()
  }

  /** Stores what waits and takes nothing more. What cannot be stored within this time is lost, and counted. */
  close(ms = 10 * SECOND): Promise<void> {
    this.#closing ??= this.#close(ms)
    return this.#closing
  }

  async #close(ms: number): Promise<void> {
    this.#state = 'closing'
    await withinTime(this.flush(), ms)
    this.#state = 'closed'
    this.#endPause?.()
    this.#drop(this.#taken - this.#settled)
    this.#settle(this.#queue.splice(0))
    this.#tellGrown()
    clearTimeout(this.#tellTimer)
    this.#tellDropped()
  }

  /** Whether there is room for one more; if not, it is dropped. */
  #isOpen(): boolean {
    if (this.#state === 'open' && this.#bytes < this.#parts.maxBytes) return true
    this.#drop(1)
    return false
  }

  #toEntry(draft: LogDraft): NewLogEntry {
    const { takenAt, count } = this.#take()
    return { ...boundDraft(draft), takenAt, id: logId(takenAt, count) }
  }

  #push(record: NewRecord): void {
    this.#bytes += bytesOf(record)
    this.#taken++
    if (!isVisit(record)) this.#lines++
    this.#queue.push(record)
    this.#plan()
  }

  #plan(): void {
    if (this.#writing || this.#queue.length === 0) return
    if (this.#lines >= ENOUGH.lines || this.#queue.length >= ENOUGH.visits) void this.#start()
    else if (this.#timer === undefined || (this.#lines > 0 && this.#timerFor === 'visits')) {
      clearTimeout(this.#timer)
      this.#timerFor = this.#lines > 0 ? 'lines' : 'visits'
      this.#timer = setTimeout(() => void this.#start(), WAIT[this.#timerFor])
    }
  }

  /** Writes one batch at a time; called again meanwhile, it answers the batch under way. */
  #start(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= this.#writeSome().finally(() => {
      this.#writing = undefined
      this.#plan()
    })
    return this.#writing
  }

  async #writeSome(): Promise<void> {
    const batch = this.#queue.splice(0, this.#lines > 0 ? MOST.lines : MOST.visits)
    if (this.#lines > 0) for (const record of batch) if (!isVisit(record)) this.#lines--
    await this.#write(batch)
    this.#settle(batch)
    // The embedded database never lets go of the thread by itself; visitors come first.
    await new Promise(setImmediate)
  }

  async #write(batch: readonly NewRecord[]): Promise<void> {
    const { store, log } = this.#parts
    if (!this.#parts.hasRoom())
      return this.#drop(batch.length, new Error('too little space is left on the disk'))
    for (let pause = FIRST_PAUSE; this.#state !== 'closed'; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        await store.append(batch)
        return this.#tell(batch)
      } catch (err) {
        if (!isUnavailable(err)) return this.#isolate(batch, err)
        if (pause === FIRST_PAUSE)
          log.warn({ err, waiting: this.#taken - this.#settled }, 'log entries could not be stored yet')
        await this.#pause(pause)
      }
    }
  }

  /** Something in the batch is refused: all but that is written. */
  async #isolate(batch: readonly NewRecord[], err: unknown): Promise<void> {
    if (batch.length > 1) {
      for (const record of batch) await this.#write([record])
      return
    }
    this.#drop(1, err)
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Lines at once. A busy site fills many batches a second, and whoever follows its visits looks less often than that. */
  #tell(records: readonly NewRecord[]): void {
    let hasLines = false
    let last: Pick<LogDraft, 'deploymentId' | 'projectId'> | undefined
    for (const record of records) {
      const of = isVisit(record) ? record.visit : record
      if (!isVisit(record)) hasLines = true
      if (of.deploymentId === last?.deploymentId && of.projectId === last.projectId) continue
      last = of
      this.#grown.add(of.deploymentId)
      if (of.projectId !== undefined) this.#grown.add(of.projectId)
    }
    if (hasLines || this.#tellTimer === undefined) this.#tellGrown()
  }

  #tellGrown(): void {
    const { bus, log } = this.#parts
    const grown = [...this.#grown]
    this.#grown.clear()
    clearTimeout(this.#tellTimer)
    this.#tellTimer = undefined
    if (grown.length === 0) return
    this.#tellTimer = setTimeout(() => this.#tellGrown(), WAIT.visits).unref()
    try {
      for (const id of grown) bus.publish(LOGS_TOPIC, id)
    } catch (err) {
      log.warn({ err }, 'new log entries could not be announced')
    }
  }

  #settle(batch: readonly NewRecord[]): void {
    this.#settled += batch.length
    for (const record of batch) {
      this.#bytes -= bytesOf(record)
      if (isVisit(record)) continue
      this.#waiting.get(record)?.()
      this.#waiting.delete(record)
    }
  }

  #drop(count: number, err?: unknown): void {
    this.#dropped += count
    this.#untold += count
    this.#reason = err ?? this.#reason
    if (this.#quiet === undefined) this.#tellDropped()
  }

  /** At once, then only now and then: under the load that leads here, every line of the own log costs as well. */
  #tellDropped(): void {
    clearTimeout(this.#quiet)
    this.#quiet = undefined
    if (this.#untold === 0) return
    const { log } = this.#parts
    log.error({ dropped: this.#untold, total: this.#dropped, err: this.#reason }, 'log entries were dropped')
    this.#untold = 0
    this.#reason = undefined
    this.#quiet = setTimeout(() => this.#tellDropped(), QUIET).unref()
  }
}
