import { DAY } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { Addresses, Resolver } from '#core/ports/resolver.ts'
import { Shares } from '#core/shares.ts'
import { LATE, withinTime } from '#core/within-time.ts'
import { type AliasAddresses, answerFrom } from './answer.ts'
import { RCODE, TYPE } from './codes.ts'
import { isWithin } from './name.ts'
import type { ResourceRecord } from './rdata.ts'
import type { ZoneCache } from './zone-cache.ts'

interface AliasTargetsOptions {
  readonly zones: Pick<ZoneCache, 'find'>
  readonly resolver: Resolver
  readonly clock: Clock
  readonly log: Log
}

interface AliasQuestion {
  readonly target: string
  readonly type: number
  /** The region that is nearest to who asks. */
  readonly near?: string | undefined
  /** The zone that the ALIAS is in. */
  readonly zone: string
}

interface CachedTarget {
  addresses: readonly string[]
  ttl: number
  expiresAt: number
  /** From a zone of ours, which tells when it changes. */
  readonly isOwn: boolean
}

/** More names than anybody lets stand for one another in earnest. */
const MAX_STEPS = 8
const MAX_TARGETS = 10_000
/** Look-ups at once, in all and for one zone, whose owner says how long they take. */
const LOADS = { all: 500, one: 50 }
const MIN_TTL = 5
const MAX_TTL = 3600
/** What a failure is believed for, so that it is not repeated for every question. */
const FAILED_MS = 5_000
/** Old addresses are given at once for so long while new ones are looked up, */
const SOON_MS = 30_000
/** and for so long when nobody can say the new ones, or too many others are being looked up. */
const STALE_MS = DAY
const TIME_LIMIT_MS = 4_000
const OWN_TTL = 60

/** The addresses of the names that ALIAS records stand for: from our own zones, else from the world's DNS. */
export class AliasTargets {
  readonly #options: AliasTargetsOptions
  readonly #known = new Map<string, CachedTarget>()
  readonly #failedUntil = new Map<string, number>()
  readonly #loads = new Map<string, Promise<void>>()
  readonly #loading = new Shares(LOADS)
  #changes = 0

  constructor(options: AliasTargetsOptions) {
    this.#options = options
  }

  /** What is known of it; undefined when it has to be loaded first. */
  peek(question: AliasQuestion, now: number): AliasAddresses | undefined {
    const { target, type } = question
    if (isWithin(target, 'localhost')) return loopback(type, now)
    const key = keyOf(question)
    const known = this.#known.get(key)
    if (known !== undefined && now < known.expiresAt) return known
    const isFailed = now < (this.#failedUntil.get(key) ?? 0)
    if (known !== undefined && now < known.expiresAt + STALE_MS) {
      const load = isFailed ? undefined : this.load(question)
      if (load === undefined || now < known.expiresAt + SOON_MS)
        return { ...known, ttl: MIN_TTL, expiresAt: now + 1000 }
    }
    return isFailed ? 'failed' : undefined
  }

  /**
   * Never rejects; `peek` knows more when it resolves. Undefined where too many look-ups are in progress already: that says
   * nothing of the target, for which other zones may have an ALIAS as well.
   */
  load(question: AliasQuestion): Promise<void> | undefined {
    const key = keyOf(question)
    let load = this.#loads.get(key)
    if (load !== undefined) return load
    const giveBack = this.#loading.take(question.zone)
    if (giveBack === undefined) return undefined
    load = this.#load(key, question).finally(() => {
      giveBack()
      if (this.#loads.get(key) === load) this.#loads.delete(key)
    })
    this.#loads.set(key, load)
    return load
  }

  /** One of our zones has changed. */
  forgetOwn(): void {
    this.#changes++
    for (const [key, { isOwn }] of this.#known) if (isOwn) this.#known.delete(key)
    this.#failedUntil.clear()
    this.#loads.clear()
  }

  async #load(key: string, question: AliasQuestion): Promise<void> {
    const { clock, log } = this.#options
    const changes = this.#changes
    try {
      const resolved = await withinTime(this.#resolve(question, new Set()), TIME_LIMIT_MS)
      if (resolved === LATE) throw new Error('no answer in time')
      const { addresses, ttl, isOwn } = resolved
      // Overtaken by a change: whoever waits asks again.
      if (isOwn && changes !== this.#changes) return
      const kept = Math.min(MAX_TTL, Math.max(MIN_TTL, ttl))
      const known = { addresses, ttl: kept, expiresAt: clock.monotonic() + kept * 1000, isOwn }
      bound(this.#known)
      this.#known.delete(key)
      this.#known.set(key, known)
      this.#failedUntil.delete(key)
    } catch (error) {
      log.debug({ err: error, target: question.target }, 'the target of an ALIAS could not be looked up')
      bound(this.#failedUntil)
      this.#failedUntil.set(key, clock.monotonic() + FAILED_MS)
    }
  }

  async #resolve(question: AliasQuestion, seen: Set<string>): Promise<Addresses & { isOwn: boolean }> {
    const { target, type, near } = question
    const { clock, resolver } = this.#options
    if (seen.has(target) || seen.size >= MAX_STEPS) throw new Error(`an ALIAS forms a loop: ${target}`)
    seen.add(target)
    const local = isWithin(target, 'localhost') ? loopback(type, clock.monotonic()) : undefined
    if (local !== undefined) return { ...local, isOwn: true }
    const index = await this.#zoneOf(target)
    if (index === undefined) {
      const found = await (type === TYPE.A ? resolver.a(target) : resolver.aaaa(target))
      return { ...found, isOwn: false }
    }
    // What a CNAME leads to is looked up in the zone that it is in.
    const parts = { findAlias: () => undefined, isInZone: () => false }
    const answer = answerFrom(index, { name: target, type, near }, parts)
    if ('until' in answer) throw new Error('it was said which zone it is in')
    if ('target' in answer)
      return { ...(await this.#resolve({ ...question, target: answer.target }, seen)), isOwn: true }
    if (answer.rcode !== RCODE.NOERROR && answer.rcode !== RCODE.NXDOMAIN)
      throw new Error('one of our zones failed')
    const last = answer.answers.at(-1)
    if (last?.type === TYPE.CNAME)
      return { ...(await this.#resolve({ ...question, target: last.parts[0] as string }, seen)), isOwn: true }
    const records = answer.answers.filter((record) => record.type === type)
    const ttl = Math.min(OWN_TTL, ...records.map((record) => record.ttl))
    return { addresses: records.map(addressOf), ttl, isOwn: true }
  }

  async #zoneOf(target: string) {
    const { zones, clock } = this.#options
    for (let attempt = 0; attempt < MAX_STEPS; attempt++) {
      const found = zones.find(target, clock.monotonic())
      if (found === 'none') return undefined
      if (found === 'busy') break
      if (!(found instanceof Promise)) return found.index
      await found
    }
    throw new Error('zones are too busy')
  }
}

const keyOf = ({ target, type, near }: AliasQuestion): string => `${type} ${near ?? ''} ${target}`

const loopback = (type: number, now: number) => ({
  addresses: [type === TYPE.A ? '127.0.0.1' : '::1'],
  ttl: OWN_TTL,
  expiresAt: now + OWN_TTL * 1000,
})

function bound(map: Map<string, unknown>): void {
  if (map.size < MAX_TARGETS) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}

function addressOf({ parts, type }: ResourceRecord): string {
  const bytes = parts[0] as Buffer
  if (type === TYPE.A) return bytes.join('.')
  return (bytes.toString('hex').match(/.{4}/g) ?? []).join(':')
}
