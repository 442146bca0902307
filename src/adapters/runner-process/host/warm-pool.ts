import { MINUTE } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { Launched, RuntimeKind } from '../launch/launch.ts'

interface WarmPoolOptions {
  readonly launch: (kind: RuntimeKind) => Promise<Launched>
  /** How many wait of the kind that was asked for last; none of any kind where it is 0. */
  readonly size: number
  /** Whether requests wait for something to start, which is then more urgent. */
  readonly urgent: () => boolean
  readonly clock: Clock
  readonly log: Log
}

/** Kinds besides that one of which one waits, while they are in use. */
const OTHERS = 3
const IN_USE_MS = 10 * MINUTE
const GENTLY_MS = 100
const AFTER_FAILURE_MS = 30_000

const keyOf = ({ runtime, version, memoryMb }: RuntimeKind): string => `${runtime} ${version} ${memoryMb}`

/** Runtimes that have booted in their sandboxes and wait for code. Empty until one is first asked for. */
export class WarmPool {
  readonly #options: WarmPoolOptions
  readonly #waiting = new Map<string, Set<Launched>>()
  readonly #used = new Map<string, { readonly kind: RuntimeKind; at: number }>()
  #timer: NodeJS.Timeout | undefined
  #filling: Promise<void> | undefined
  #closed = false

  constructor(options: WarmPoolOptions) {
    this.#options = options
  }

  /** One of this kind, if there is one. Others are made in its place later. */
  take(kind: RuntimeKind): Launched | undefined {
    const key = keyOf(kind)
    this.#use(kind)
    const waiting = this.#waiting.get(key)
    const [taken] = waiting ?? []
    if (taken) waiting?.delete(taken)
    this.refill()
    return taken
  }

  /** Has runtimes of these kinds wait, which will soon be asked for; resolves once as many wait as should. */
  async fill(kinds: readonly RuntimeKind[]): Promise<void> {
    for (const kind of kinds) this.#use(kind)
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#fill(() => false)
  }

  refill(ms = GENTLY_MS): void {
    if (this.#closed || this.#options.size === 0) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (this.#options.urgent()) this.refill()
      else void this.#fill(this.#options.urgent)
    }, ms).unref()
  }

  /** Ends those of kinds that are no longer in use. */
  trim(): void {
    const wanted = new Set([...this.#wanted()].map(({ kind }) => keyOf(kind)))
    for (const [key, waiting] of this.#waiting) {
      if (wanted.has(key)) continue
      this.#waiting.delete(key)
      for (const launched of waiting) {
        waiting.delete(launched)
        launched.kill()
      }
    }
    for (const key of this.#used.keys()) if (!wanted.has(key)) this.#used.delete(key)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#filling
    const all = [...this.#waiting.values()].flatMap((waiting) => [...waiting])
    for (const launched of all) launched.kill()
    await Promise.all(all.map(({ exit }) => exit))
  }

  #fill(interrupted: () => boolean): Promise<void> {
    this.#filling ??= this.#makeAll(interrupted).finally(() => {
      this.#filling = undefined
    })
    return this.#filling
  }

  async #makeAll(interrupted: () => boolean): Promise<void> {
    const { launch, log } = this.#options
    this.trim()
    for (let kind = this.#lacking(); kind && !this.#closed; kind = this.#lacking()) {
      if (interrupted()) {
        this.refill()
        return
      }
      try {
        this.#keep(kind, await launch(kind))
      } catch (err) {
        log.warn({ err, ...kind }, 'a runtime could not be made ready')
        this.refill(AFTER_FAILURE_MS)
        return
      }
    }
  }

  #keep(kind: RuntimeKind, launched: Launched): void {
    const key = keyOf(kind)
    const waiting = this.#waiting.get(key) ?? new Set()
    this.#waiting.set(key, waiting)
    waiting.add(launched)
    void launched.exit.then(() => {
      // One that dies while it waits is replaced.
      if (waiting.delete(launched)) this.refill(AFTER_FAILURE_MS)
    })
  }

  #use({ runtime, version, memoryMb }: RuntimeKind): void {
    const kind = { runtime, version, memoryMb }
    const key = keyOf(kind)
    this.#used.delete(key)
    this.#used.set(key, { kind, at: this.#options.clock.monotonic() })
  }

  /** How many of each kind should wait at least, those asked for last first. The last does for as long as nothing else is asked for. */
  *#wanted(): Iterable<{ kind: RuntimeKind; count: number }> {
    const { size, clock } = this.#options
    const [last, ...others] = [...this.#used.values()].reverse()
    if (size === 0 || last === undefined) return
    yield { kind: last.kind, count: size }
    for (const { kind, at } of others.slice(0, OTHERS))
      if (clock.monotonic() - at < IN_USE_MS) yield { kind, count: 1 }
  }

  #lacking(): RuntimeKind | undefined {
    for (const { kind, count } of this.#wanted())
      if ((this.#waiting.get(keyOf(kind))?.size ?? 0) < count) return kind
    return undefined
  }
}
