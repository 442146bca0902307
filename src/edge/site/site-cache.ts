import { MINUTE } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { Site, SiteSource } from '#core/site/site.ts'
import { LATE, withinTime } from '#core/within-time.ts'
import { WeightedCache } from '../file/weighted-cache.ts'
import { createSiteEntry, OWN_WEIGHT, type SiteEntry, weightOf } from './site-entry.ts'

interface SiteCacheOptions {
  readonly sites: SiteSource
  readonly clock: Clock
  readonly log: Log
  readonly budgetBytes: number
  /** What else has to be known before a site can answer. */
  readonly prepare?: (site: Site) => Promise<void> | undefined
}

type Load = Promise<SiteEntry | undefined>

/** Changes are told; this is for the message that was lost. Sites are served from memory while they are checked. */
const CHECK_MS = MINUTE
const RETRY_MS = 5_000
/** Short, because a host may become ours at any moment and the message may be lost; long enough to be cheap. */
const ABSENT_MS = 2_000
/** How long visitors wait for a site that is in doubt; then they get what was known. A database that is there answers sooner. */
const CONFIRM_WITHIN_MS = 300
const MAX_NAMES = 10_000
const NOT_CHECKED = 'a site could not be checked for changes; serving the last known state'

/** Sites by host. Looks each up once, however many ask, and forgets it the moment that it may have changed. */
export class SiteCache {
  readonly #sites: SiteSource
  readonly #clock: Clock
  readonly #log: Log
  readonly #budget: number
  readonly #prepare: SiteCacheOptions['prepare']
  readonly #kept: WeightedCache<SiteEntry>
  readonly #loads = new Map<string, Load>()
  /** Of sites in doubt: what visitors wait for. */
  readonly #confirmations = new Map<string, Load>()
  /** Hosts that are not ours, with the time until which that is believed. */
  readonly #absent = new Map<string, number>()
  /** Of contents that several names have in common: the host that they count for, and the others, which go with it. */
  readonly #shared = new Map<Site['files'], { readonly host: string; readonly others: Set<string> }>()
  /** Contents that were found to be what a host still shows: its entry is replaced, and the other names keep theirs. */
  #renewed: Site['files'] | undefined
  /** Hosts that were forgotten because of a change, and nobody asked for since. */
  readonly #changed = new Set<string>()

  constructor({ sites, clock, log, budgetBytes, prepare }: SiteCacheOptions) {
    this.#prepare = prepare
    this.#sites = sites
    this.#clock = clock
    this.#log = log
    this.#budget = budgetBytes
    this.#kept = new WeightedCache(budgetBytes, (entry) => {
      entry.live = false
      this.#released(entry)
    })
  }

  /** The site if it is in memory and not in doubt; `now` is of the monotonic clock. */
  peek(host: string, now: number): SiteEntry | undefined {
    const entry = this.#kept.get(host)
    if (entry === undefined || entry.isDoubtful) return undefined
    if (now >= entry.checkAt) this.#check(host, entry, now)
    return entry
  }

  /** Whether `peek` would answer what it has answered before. */
  isStill(entry: SiteEntry, now: number): boolean {
    if (!entry.live || entry.isDoubtful || now >= entry.checkAt) return false
    entry.used = true
    return true
  }

  /** The site, at once where it is in memory; undefined if there is none at this host. */
  find(host: string, now: number): SiteEntry | undefined | Load {
    const entry = this.peek(host, now)
    if (entry !== undefined) return entry
    const doubtful = this.#kept.get(host)
    if (doubtful !== undefined) return this.#confirm(host, doubtful)
    const absentUntil = this.#absent.get(host)
    return absentUntil !== undefined && now < absentUntil ? undefined : this.#load(host)
  }

  /** Whether this was a site until a change that nobody has looked at yet, or may have changed. */
  isChanged(host: string): boolean {
    return this.#changed.has(host) || this.#kept.get(host)?.isDoubtful === true
  }

  /** Forgets the host, or all that `*` or `*.<name>` stands for. Who asks from now on gets what holds from now on. */
  invalidate(host: string): void {
    if (!host.startsWith('*')) {
      this.#forget(host)
      return
    }
    const within = host.slice(1)
    for (const absent of this.#absent.keys()) if (absent.endsWith(within)) this.#absent.delete(absent)
    for (const known of [...this.#kept.keys(), ...this.#loads.keys()])
      if (known.endsWith(within)) this.#forget(known)
  }

  /** Has everything looked up again when it is asked for next. Where that takes long or fails, what was there is served. */
  recheck(): void {
    this.#absent.clear()
    for (const host of this.#kept.keys()) {
      const entry = this.#kept.get(host)
      if (entry) entry.isDoubtful = true
    }
    // What is being looked up may have been read before the change that nobody was told of.
    this.#loads.clear()
    this.#confirmations.clear()
  }

  clear(): void {
    this.#kept.clear()
    this.#loads.clear()
    this.#confirmations.clear()
  }

  #forget(host: string): void {
    this.#absent.delete(host)
    this.#loads.delete(host)
    this.#confirmations.delete(host)
    if (!this.#kept.delete(host)) return
    if (this.#changed.size >= MAX_NAMES) this.#changed.clear()
    this.#changed.add(host)
  }

  #load(host: string): Load {
    let load = this.#loads.get(host)
    if (load === undefined) {
      load = this.#ask(host, () => this.#loads.get(host) === load).finally(() => {
        if (this.#loads.get(host) === load) this.#loads.delete(host)
      })
      this.#loads.set(host, load)
    }
    return load
  }

  /** What was overtaken by a change while it was looked up is good for those who have waited, but is not kept. */
  async #ask(host: string, isCurrent: () => boolean): Load {
    const site = await this.#sites.find(host)
    if (site !== undefined) await this.#prepare?.(site)
    const now = this.#clock.monotonic()
    const entry = site && createSiteEntry(site, now + CHECK_MS)
    if (!isCurrent()) return entry
    this.#changed.delete(host)
    if (entry === undefined) {
      this.#kept.delete(host)
      if (this.#absent.size >= MAX_NAMES) this.#absent.clear()
      this.#absent.set(host, now + ABSENT_MS)
    } else {
      this.#renewed = entry.site.files
      this.#kept.delete(host)
      this.#renewed = undefined
      // Even the largest site is kept, if need be alone: looking it up for every request would be worse.
      this.#kept.set(host, entry, Math.min(this.#weightOf(host, entry), this.#budget))
    }
    return entry
  }

  /** Whoever makes up names that a wildcard stands for does not push out the sites of others. */
  #weightOf(host: string, entry: SiteEntry): number {
    const { wildcard, files } = entry.site
    if (wildcard === undefined) return weightOf(entry)
    const shared = this.#shared.get(files)
    if (shared === undefined || shared.host === host) {
      this.#shared.set(files, shared ?? { host, others: new Set() })
      return weightOf(entry)
    }
    shared.others.add(host)
    return OWN_WEIGHT
  }

  #released({ site: { host, wildcard, files } }: SiteEntry): void {
    const shared = wildcard === undefined ? undefined : this.#shared.get(files)
    if (shared === undefined || files === this.#renewed) return
    shared.others.delete(host)
    if (shared.host !== host) return
    this.#shared.delete(files)
    for (const other of shared.others) this.#kept.delete(other)
  }

  /** What is in doubt is waited for as long as the source answers soon. If it does not, it is asked again later. */
  #confirm(host: string, entry: SiteEntry): Load {
    let confirmation = this.#confirmations.get(host)
    if (confirmation === undefined) {
      confirmation = this.#settle(host, entry).finally(() => {
        if (this.#confirmations.get(host) === confirmation) this.#confirmations.delete(host)
      })
      this.#confirmations.set(host, confirmation)
    }
    return confirmation
  }

  async #settle(host: string, entry: SiteEntry): Load {
    try {
      const found = await withinTime(this.#load(host), CONFIRM_WITHIN_MS)
      if (found !== LATE) return found
      this.#log.warn({ host }, NOT_CHECKED)
    } catch (err) {
      this.#log.warn({ err, host }, NOT_CHECKED)
    }
    entry.isDoubtful = false
    entry.checkAt = this.#clock.monotonic() + RETRY_MS
    return entry
  }

  #check(host: string, entry: SiteEntry, now: number): void {
    entry.checkAt = now + RETRY_MS
    this.#load(host).catch((error: unknown) => this.#log.warn({ err: error, host }, NOT_CHECKED))
  }
}
