import type { TrafficTarget } from '#contract/api/analytics.ts'
import { MINUTE, SECOND } from '#contract/time.ts'
import type { Clock } from '../ports/clock.ts'
import { isUnavailable } from '../ports/is-unavailable.ts'
import type { Log } from '../ports/log.ts'
import type { SiteVisit } from '../site/site.ts'
import { PathSketch } from './path-sketch.ts'
import { type Counts, rollUp } from './roll-up.ts'
import { countVisit, createTally, type Tally } from './tally.ts'
import type { TrafficRow, TrafficStore } from './traffic-store.ts'

interface RecorderParts {
  readonly store: Pick<TrafficStore, 'add'>
  readonly clock: Clock
  readonly log: Log
  /** Deployments that are counted at once before all there is goes on to be written. */
  readonly maxCells?: number
  /** Rows that wait for a store that does not answer. */
  readonly maxWaiting?: number
}

/** Visits of one deployment in this minute. */
interface Cell {
  readonly projectId: string
  readonly deploymentId: string
  readonly target: TrafficTarget
  /** Those since the last flush. */
  tally: Tally
  sketch: PathSketch
}

/** How long counts stay in memory; those of paths, to the end of the minute. */
const FLUSH_MS = 5 * SECOND

/** Rows a transaction: no longer a pause for visitors than the log makes. */
const STEP = 100

/**
 * Counts visits in memory, by deployment and minute, and adds what has come together to the store every few seconds.
 * What is in memory when the process is killed is not counted; the visits are in the log all the same.
 */
export class TrafficRecorder {
  readonly #parts: Required<RecorderParts>
  readonly #production = new Map<string, Cell>()
  readonly #preview = new Map<string, Cell>()
  /** The minute that is being counted. */
  #start = 0
  #end = 0
  readonly #waiting: TrafficRow[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #closed = false

  constructor(parts: RecorderParts) {
    this.#parts = { maxCells: 1000, maxWaiting: 50_000, ...parts }
  }

  /** Of every visit, so it has to be cheap: a look-up or two, and some additions. */
  record(visit: SiteVisit): void {
    const now = visit.at + visit.ms
    // A clock that was set back a little does no harm.
    if (now >= this.#end || now < this.#start - MINUTE) this.#turn(now)
    const cells = visit.environment === 'production' ? this.#production : this.#preview
    const cell = cells.get(visit.deploymentId) ?? this.#begin(cells, visit)
    countVisit(cell.tally, visit)
    cell.sketch.count(visit.path, visit)
  }

  /** Writes what was counted so far, as far as the store takes it. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const now = this.#parts.clock.now()
    if (now >= this.#end || now < this.#start - MINUTE) this.#endMinute()
    else this.#gather()
    return this.#startWriting()
  }

  /** Writes all there is, once; what the store does not take then is lost. */
  async close(): Promise<void> {
    await this.#writing
    this.#endMinute()
    await this.#startWriting()
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #turn(now: number): void {
    this.#endMinute()
    this.#start = now - (now % MINUTE)
    this.#end = this.#start + MINUTE
  }

  #begin(cells: Map<string, Cell>, { deploymentId, projectId, environment }: SiteVisit): Cell {
    if (this.#production.size + this.#preview.size >= this.#parts.maxCells) this.#endMinute()
    const cell: Cell = {
      ...{ projectId, deploymentId, target: environment },
      tally: createTally(),
      sketch: new PathSketch(),
    }
    cells.set(deploymentId, cell)
    this.#plan()
    return cell
  }

  /** All that was counted, paths too; whatever comes is counted anew. */
  #endMinute(): void {
    this.#wait((cell) => ({ ...cell, at: this.#start, paths: cell.sketch.tallies() }))
    this.#production.clear()
    this.#preview.clear()
  }

  /** What was counted since the last time, but for the paths, of which there are many. */
  #gather(): void {
    this.#wait((cell) => {
      const { tally } = cell
      cell.tally = createTally()
      return { ...cell, tally, at: this.#start, paths: [] }
    })
  }

  #wait(countsOf: (cell: Cell) => Counts): void {
    const cells = [...this.#production.values(), ...this.#preview.values()]
    const rows = rollUp(cells.map(countsOf))
    const { maxWaiting, log } = this.#parts
    const room = maxWaiting - this.#waiting.length
    const kept = rows.length <= room ? rows : rows.filter(({ path }) => path === undefined).slice(0, room)
    if (kept.length < rows.length)
      log.error(
        { rows: rows.length - kept.length },
        'requests were not counted: too many are waiting to be stored',
      )
    for (const row of kept) this.#waiting.push(row)
  }

  #plan(): void {
    if (this.#closed) return
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  /** One after the other; called meanwhile, it answers what is under way. */
  #startWriting(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
      if (this.#waiting.length + this.#production.size + this.#preview.size > 0) this.#plan()
    })
    return this.#writing
  }

  async #write(): Promise<void> {
    const { store, log } = this.#parts
    while (this.#waiting.length > 0) {
      const rows = this.#waiting.slice(0, STEP)
      try {
        await store.add(rows)
      } catch (err) {
        if (isUnavailable(err)) {
          log.warn({ err, waiting: this.#waiting.length }, 'request counts could not be stored yet')
          return
        }
        log.error({ err, rows: rows.length }, 'requests were not counted')
      }
      // In place: of a long list, a copy for each step would be most of what this process has in memory.
      this.#waiting.splice(0, rows.length)
      // The embedded database never lets go of the thread by itself; visitors come first.
      await new Promise(setImmediate)
    }
  }
}
