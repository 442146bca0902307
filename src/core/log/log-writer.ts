import { SECOND } from '#contract/time.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { isUnavailable } from './is-unavailable.ts'
import { boundDraft, type LogDraft, type NewLogEntry } from './log-entry.ts'
import { createLogIds, type Taken } from './log-ids.ts'
import { LOGS_TOPIC, type LogStore } from './log-store.ts'

interface WriterParts {
  readonly store: Pick<LogStore, 'append'>
  readonly bus: Pick<Bus, 'publish'>
  readonly clock: Clock
  readonly log: Log
  /** How much text may wait in memory before visits are dropped. */
  readonly maxBytes?: number
}

interface Waiting {
  readonly entry: NewLogEntry
  readonly bytes: number
  readonly settle: (() => void) | undefined
}

/** A transaction is worth it at this many entries, or once the first of them has waited this long. */
const ENOUGH = 100
const WAIT = 20
/** More than enough when entries came faster than they were written, but no longer a pause for everybody else. */
const MOST = 500

const FIRST_PAUSE = 50
const LONGEST_PAUSE = 5 * SECOND
const QUIET = 10 * SECOND

/** Everything of an entry but its texts, roughly. */
const ENTRY_BYTES = 500

const bytesOf = ({ text, request }: LogDraft): number =>
  ENTRY_BYTES + text.length + (request ? request.uri.length + request.userAgent.length : 0)

/**
 * Writes entries in the background, many in one transaction, in the order they were taken. No caller ever
 * gets an error: what cannot be written now is tried again for as long as the writer is open.
 */
export class LogWriter {
  readonly #parts: Required<WriterParts>
  readonly #take: () => Taken
  #queue: Waiting[] = []
  #bytes = 0
  #taken = 0
  #settled = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #endPause: (() => void) | undefined
  #closing: Promise<void> | undefined
  #state: 'open' | 'closing' | 'closed' = 'open'
  #dropped = 0
  #untold = 0
  #reason: unknown
  #quiet: NodeJS.Timeout | undefined

  constructor(parts: WriterParts) {
    this.#parts = { maxBytes: 32 * 1024 * 1024, ...parts }
    this.#take = createLogIds(parts.clock)
  }

  /** How many entries were lost: because too many waited, nothing could store them, or the writer was closed. */
  get dropped(): number {
    return this.#dropped
  }

  /** Takes an entry and returns at once. Under extreme load it is dropped, and counted. */
  record(draft: LogDraft): void {
    if (this.#bytes >= this.#parts.maxBytes) this.#drop(1)
    else this.#push(draft, undefined)
  }

  /** Takes an entry whatever waits already; resolves once it is stored, so whoever waits for that is slowed down. */
  save(draft: LogDraft): Promise<void> {
    return new Promise((settle) => this.#push(draft, settle))
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
    const deadline = Promise.withResolvers<void>()
    const timer = setTimeout(deadline.resolve, ms)
    await Promise.race([this.flush(), deadline.promise])
    clearTimeout(timer)
    this.#state = 'closed'
    this.#endPause?.()
    this.#drop(this.#taken - this.#settled)
    this.#settle(this.#queue.splice(0))
    this.#tellDropped()
  }

  #push(draft: LogDraft, settle: (() => void) | undefined): void {
    if (this.#state !== 'open') {
      this.#drop(1)
      settle?.()
      return
    }
    const entry = { ...boundDraft(draft), ...this.#take() }
    const bytes = bytesOf(entry)
    this.#bytes += bytes
    this.#taken++
    this.#queue.push({ entry, bytes, settle })
    this.#plan()
  }

  #plan(): void {
    if (this.#writing || this.#queue.length === 0) return
    if (this.#queue.length >= ENOUGH) void this.#start()
    else this.#timer ??= setTimeout(() => void this.#start(), WAIT)
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
    const batch = this.#queue.splice(0, MOST)
    await this.#write(batch)
    this.#settle(batch)
    // The embedded database never lets go of the thread by itself; visitors come first.
    await new Promise(setImmediate)
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { store, log } = this.#parts
    const entries = batch.map(({ entry }) => entry)
    for (let pause = FIRST_PAUSE; this.#state !== 'closed'; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        await store.append(entries)
        return this.#tell(entries)
      } catch (err) {
        if (!isUnavailable(err)) return this.#isolate(batch, err)
        if (pause === FIRST_PAUSE)
          log.warn({ err, waiting: this.#taken - this.#settled }, 'logs have to wait')
        await this.#pause(pause)
      }
    }
  }

  /** Something in the batch is refused: all but that is written. */
  async #isolate(batch: readonly Waiting[], err: unknown): Promise<void> {
    if (batch.length > 1) {
      for (const waiting of batch) await this.#write([waiting])
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

  #tell(entries: readonly NewLogEntry[]): void {
    const { bus, log } = this.#parts
    try {
      for (const id of new Set(entries.map(({ deploymentId }) => deploymentId))) bus.publish(LOGS_TOPIC, id)
      for (const id of new Set(entries.map(({ projectId }) => projectId)))
        if (id !== undefined) bus.publish(LOGS_TOPIC, id)
    } catch (err) {
      log.warn({ err }, 'new log entries could not be announced')
    }
  }

  #settle(batch: readonly Waiting[]): void {
    this.#settled += batch.length
    for (const { bytes, settle } of batch) {
      this.#bytes -= bytes
      settle?.()
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
