import { createHash } from 'node:crypto'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { PrerenderCache, PrerenderEntry, PrerenderKey } from '#core/ports/prerender-cache.ts'
import type { Answer } from '../answer.ts'
import { WeightedCache } from '../file/weighted-cache.ts'

/** Forms of an answer, compressed or not, and those that are being made. */
export type AnswerForms = Map<string, Answer | Promise<Answer>>

const MAX_FORMS = 8

/** The form of this name, which is made once for all who want it. */
export function formIn(
  forms: AnswerForms,
  name: string,
  make: () => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  const known = forms.get(name)
  if (known !== undefined) return known
  const made = make()
  if (forms.size >= MAX_FORMS) forms.clear()
  forms.set(name, made)
  if (made instanceof Promise)
    made.then(
      (form) => forms.set(name, form),
      () => forms.delete(name),
    )
  return made
}

const formsByEntry = new WeakMap<PrerenderEntry, AnswerForms>()

/** Of an answer that several visitors have waited for. */
export function formsOf(entry: PrerenderEntry): AnswerForms {
  const forms = formsByEntry.get(entry) ?? new Map()
  formsByEntry.set(entry, forms)
  return forms
}

/** What is known of a kept answer, or of its absence. */
export interface CachedAnswer {
  /** By which it is found. */
  readonly name: string
  readonly entry: PrerenderEntry | undefined
  /** The answer in the forms that visitors have asked for. */
  readonly forms: AnswerForms
  /** Until when this process believes it: another one may have made it anew. */
  readonly checkAt: number
  /** Before which it is not made anew, since that has just failed. */
  retryAt: number
  /** False once it was forgotten, or is known anew. */
  live: boolean
  used: boolean
}

const CHECK_MS = 1000
const OVERHEAD = 2048

/** Kept answers in the memory of this process, in front of those that all processes share. */
export class PrerenderMemory {
  readonly #cache: PrerenderCache
  readonly #clock: Clock
  readonly #log: Log
  readonly #kept: WeightedCache<CachedAnswer>
  /** The names of what is kept, by deployment: whoever purges often must not cost others more the more there is of theirs. */
  readonly #names = new Map<string, Set<string>>()
  readonly #reads = new Map<string, Promise<CachedAnswer>>()

  constructor(cache: PrerenderCache, clock: Clock, log: Log, budgetBytes: number) {
    this.#cache = cache
    this.#clock = clock
    this.#log = log
    this.#kept = new WeightedCache(budgetBytes, (answer) => {
      answer.live = false
      this.#dropName(answer.name)
    })
  }

  get(key: PrerenderKey): CachedAnswer | Promise<CachedAnswer> {
    return this.at(placeOf(key))
  }

  /** `now` is of the monotonic clock. */
  at({ key, name }: CachePlace, now = this.#clock.monotonic()): CachedAnswer | Promise<CachedAnswer> {
    const kept = this.#kept.get(name)
    if (kept !== undefined && now < kept.checkAt) return kept
    let read = this.#reads.get(name)
    if (read === undefined) {
      read = this.#read(key, name, kept).finally(() => this.#reads.delete(name))
      this.#reads.set(name, read)
    }
    return read
  }

  /** For this process at once, and for the others as soon as it is written. */
  put(key: PrerenderKey, entry: PrerenderEntry): Promise<void> {
    this.#keep(nameOf(key), entry, undefined)
    return this.#cache
      .put(key, entry)
      .catch((error: unknown) => this.#log.warn({ err: error }, 'a response could not be cached'))
  }

  /** What is known of a deployment is read again by who asks next. */
  forget(deploymentId: string): void {
    for (const name of this.#names.get(deploymentId) ?? []) this.#kept.delete(name)
  }

  clear(): void {
    this.#kept.clear()
  }

  async #read(key: PrerenderKey, name: string, before: CachedAnswer | undefined): Promise<CachedAnswer> {
    const entry = await this.#cache.get(key).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'a cached response could not be read')
      return before?.entry
    })
    return this.#keep(name, entry, before)
  }

  #keep(name: string, entry: PrerenderEntry | undefined, before: CachedAnswer | undefined): CachedAnswer {
    const isSame =
      entry?.generatedAt === before?.entry?.generatedAt && entry?.expiration === before?.entry?.expiration
    const kept: CachedAnswer = {
      name,
      entry,
      forms: isSame && before !== undefined ? before.forms : entry === undefined ? new Map() : formsOf(entry),
      checkAt: this.#clock.monotonic() + CHECK_MS,
      retryAt: isSame && before !== undefined ? before.retryAt : 0,
      live: true,
      used: true,
    }
    kept.live = this.#kept.set(
      name,
      kept,
      OVERHEAD + name.length + (entry === undefined ? 0 : weightOf(entry)),
    )
    if (kept.live) this.#addName(name)
    return kept
  }

  #addName(name: string): void {
    const deploymentId = deploymentOf(name)
    const names = this.#names.get(deploymentId) ?? new Set()
    this.#names.set(deploymentId, names.add(name))
  }

  #dropName(name: string): void {
    const deploymentId = deploymentOf(name)
    const names = this.#names.get(deploymentId)
    names?.delete(name)
    if (names?.size === 0) this.#names.delete(deploymentId)
  }
}

/** The compressed forms come on top of the body. */
function weightOf({ headers, body }: PrerenderEntry): number {
  let weight = 2 * body.length
  for (const text of headers) weight += text.length
  return weight
}

/** Where an answer is kept: worked out once by whoever asks for the same again and again. */
export interface CachePlace {
  readonly key: PrerenderKey
  readonly name: string
}

export const placeOf = (key: PrerenderKey): CachePlace => ({ key, name: nameOf(key) })

const LONGEST_NAME = 256

/** Where many names are remembered that visitors may make up: of a long one only what tells it from others. */
export const briefOf = (name: string): string =>
  name.length <= LONGEST_NAME ? name : createHash('sha256').update(name).digest('base64')

export const nameOf = ({ deploymentId, path, query }: PrerenderKey): string =>
  `${deploymentId}\n${path}\n${query}`

const deploymentOf = (name: string): string => name.slice(0, name.indexOf('\n'))
