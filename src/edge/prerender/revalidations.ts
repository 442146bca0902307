import type { Bus } from '#core/ports/bus.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { type PrerenderCache, revalidateAll } from '#core/ports/prerender-cache.ts'
import {
  EVERYTHING,
  REVALIDATIONS_TOPIC,
  type RevalidatedTags,
  type Revalidation,
  readRevalidations,
  type TagState,
} from '#core/site/revalidation.ts'
import { createTurns } from '#core/turns.ts'
import type { PrerenderMemory } from './prerender-memory.ts'

interface RevalidationOptions {
  readonly cache: PrerenderCache
  readonly memory: PrerenderMemory
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

const MAX_DEPLOYMENTS = 5000
/** Of the header by which instances learn of them. */
const MAX_LINE = 8192
/** Of what the programs of a deployment say while the last of it is written down; with more, all of it is made anew. */
const MAX_SAID = 16_384

/** What is written down together. */
interface Batch {
  readonly said: Revalidation[]
  /** Of the headers that said it. */
  length: number
  readonly done: Promise<void>
}

/** What is known of a deployment. */
export interface KnownTags {
  readonly tags: RevalidatedTags
  /** False once something else is known, or about to be. */
  isLive: boolean
  /** What instances are told, as a line of a request's head; empty where there is nothing to tell. */
  readonly line: string
}

/**
 * What programs said is not right any more, of each deployment that is visited. It is kept with the answers that
 * all serving processes share; a change is told to the others, who read it anew.
 */
export class Revalidations {
  readonly #options: RevalidationOptions
  readonly #known = new Map<string, KnownTags>()
  readonly #loads = new Map<string, Promise<void>>()
  /** What was said of a deployment and waits for what was said before it. */
  readonly #batches = new Map<string, Batch>()
  readonly #turns = createTurns(1)
  readonly #ends: readonly ((() => void) | undefined)[]

  constructor(options: RevalidationOptions) {
    this.#options = options
    this.#ends = [
      options.bus.subscribe(REVALIDATIONS_TOPIC, (id) => {
        options.memory.forget(id)
        if (this.#known.has(id) || this.#loads.has(id)) void this.#read(id)
      }),
      options.bus.onGap?.(() => {
        options.memory.clear()
        for (const id of this.#known.keys()) void this.#read(id)
      }),
    ]
  }

  /** Resolves when all that was said before is known. */
  load(deploymentId: string): Promise<void> {
    return this.#loads.get(deploymentId) ?? this.#read(deploymentId)
  }

  /** A promise of what has to be read before `stateOf` can be believed; undefined where all is known. */
  pending(deploymentId: string): Promise<void> | undefined {
    return (
      this.#loads.get(deploymentId) ?? (this.#known.has(deploymentId) ? undefined : this.#read(deploymentId))
    )
  }

  /** Whether anything of it was said not to be right any more. */
  isAnyOf(deploymentId: string): boolean {
    return (this.#known.get(deploymentId)?.tags.size ?? 0) > 0
  }

  /** What is known of it, where that is that all of it is right. */
  noneOf(deploymentId: string): KnownTags | undefined {
    const known = this.#known.get(deploymentId)
    return known?.isLive && known.tags.size === 0 ? known : undefined
  }

  /** Of something whose tags are written as in `x-next-cache-tags`; undefined where it is as right as it was. */
  stateOf(deploymentId: string, tags: string | undefined, madeAt: number): TagState | undefined {
    const known = this.#known.get(deploymentId)?.tags
    if (known === undefined || known.size === 0) return undefined
    const state = known.stateOf(tags?.split(',') ?? [], madeAt, this.#options.clock.now())
    return state.kind === 'fresh' ? undefined : state
  }

  /** For the head of a request to an instance of the deployment. */
  lineFor(deploymentId: string): string {
    return this.#known.get(deploymentId)?.line ?? ''
  }

  /**
   * What a program said with an answer. Resolves when everybody is told. A program may say so with every answer: what comes while
   * something is being written down is written down together.
   */
  take(deploymentId: string, said: string): Promise<void> {
    const batch = this.#batches.get(deploymentId) ?? this.#beginBatch(deploymentId)
    const now = this.#options.clock.now()
    batch.length += said.length
    if (batch.length <= MAX_SAID) batch.said.push(...readRevalidations(said, now))
    else batch.said.splice(0, batch.said.length, { tags: [EVERYTHING], at: now })
    return batch.done
  }

  #beginBatch(deploymentId: string): Batch {
    const said: Revalidation[] = []
    const done = this.#turns.run(deploymentId, () => {
      this.#batches.delete(deploymentId)
      return this.#store(deploymentId, said)
    })
    const batch = { said, length: 0, done }
    this.#batches.set(deploymentId, batch)
    return batch
  }

  async #store(deploymentId: string, said: readonly Revalidation[]): Promise<void> {
    const { cache, log } = this.#options
    try {
      await revalidateAll(cache, deploymentId, mergeByExpire(said), () => this.tell(deploymentId))
      await this.#read(deploymentId)
    } catch (error) {
      log.error({ err: error, deploymentId }, 'a revalidation by a function could not be stored')
    }
  }

  /** That kept answers of a deployment are others now. */
  tell(deploymentId: string): void {
    this.#options.bus.publish(REVALIDATIONS_TOPIC, deploymentId)
  }

  close(): void {
    for (const end of this.#ends) end?.()
  }

  #read(deploymentId: string): Promise<void> {
    const { cache, log } = this.#options
    const load = cache
      .revalidations(deploymentId)
      .then((tags) => {
        // Whoever has begun later knows more.
        if (this.#loads.get(deploymentId) !== load) return
        if (this.#known.size >= MAX_DEPLOYMENTS) this.#forgetAll()
        this.#known.set(deploymentId, { tags, isLive: true, line: lineOf(tags) })
      })
      .catch((error: unknown) => log.warn({ err: error, deploymentId }, 'revalidations could not be read'))
      .finally(() => {
        if (this.#loads.get(deploymentId) === load) this.#loads.delete(deploymentId)
      })
    this.#loads.set(deploymentId, load)
    const known = this.#known.get(deploymentId)
    if (known !== undefined) known.isLive = false
    return load
  }

  #forgetAll(): void {
    for (const known of this.#known.values()) known.isLive = false
    this.#known.clear()
  }
}

/** As few as say the same, at the time of the last. */
function mergeByExpire(said: readonly Revalidation[]): readonly Revalidation[] {
  const byExpire = Map.groupBy(said, ({ expire }) => expire)
  return [...byExpire].map(([expire, some]) => ({
    tags: [...new Set(some.flatMap(({ tags }) => tags))],
    at: some.reduce((last, { at }) => Math.max(last, at), 0),
    ...(expire === undefined ? {} : { expire }),
  }))
}

function lineOf(tags: RevalidatedTags): string {
  if (tags.size === 0) return ''
  const pairs = [...tags.times()]
  const all = pairs.map(([tag, at]) => `${encodeURIComponent(tag.toWellFormed())}=${at}`).join('&')
  const last = Math.max(...pairs.map(([, at]) => at))
  return `x-aloft-revalidated: ${all.length > MAX_LINE ? `${encodeURIComponent(EVERYTHING)}=${last}` : all}\r\n`
}
