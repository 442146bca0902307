import { MINUTE } from '#contract/time.ts'
import type { Zone, ZoneSource } from '#core/dns/zone.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { isWithin, suffixesOf } from './name.ts'
import { indexZone, type ZoneIndex } from './zone-index.ts'

interface ZoneCacheOptions {
  readonly zones: ZoneSource
  readonly clock: Clock
  readonly log: Log
  /** A zone was found to be another one than was served, without anybody having said so. */
  readonly onFound: () => void
}

export interface CachedZone {
  readonly index: ZoneIndex
  /** When it is looked up again, in case that the message of a change was lost. */
  checkAt: number
}

interface Entry extends CachedZone {
  index: ZoneIndex
  /** It has changed: who asks now has to wait for what it is now. */
  isChanged: boolean
  /** Counts the changes, so that a look-up notices when it was overtaken by one. */
  changes: number
  load: Promise<void> | undefined
}

/** `none`: it is in no zone of ours. `busy`: too many ask for names that nobody knows; this one is not looked up. */
type FoundZone = CachedZone | 'none' | 'busy' | Promise<void>

const CHECK_MS = MINUTE
const RETRY_MS = 5_000
const ABSENT_MS = 2_000
const MAX_NAMES = 10_000
const MAX_RECORDS = 200_000
/** Look-ups a second: of names in no zone that we know, and of names that may be in a zone inside a known one. */
const UNKNOWN_RATE = 1000
const INNER_RATE = 50

/** So many a second, and as many more after a pause. */
class Allowance {
  readonly #rate: number
  #left: number
  #at = 0

  constructor(rate: number) {
    this.#rate = rate
    this.#left = rate
  }

  take(now: number): boolean {
    this.#left = Math.min(this.#rate, this.#left + (Math.max(0, now - this.#at) * this.#rate) / 1000)
    this.#at = now
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}

/**
 * Zones by name, at once where they are in memory. Questions for random names cost memory and look-ups up to a
 * bound: beyond it a name counts as part of the zone around it, and one without such a zone goes unanswered.
 */
export class ZoneCache {
  readonly #source: ZoneSource
  readonly #clock: Clock
  readonly #log: Log
  readonly #onFound: () => void
  readonly #zones = new Map<string, Entry>()
  #records = 0
  /** Names that were looked up and are in no zone inside the one that is known, by that one's name. */
  readonly #settled = new Map<string, string>()
  /** Names that are in no zone, with the time until which that is believed. */
  readonly #absent = new Map<string, number>()
  readonly #asked = new Map<string, Promise<void>>()
  readonly #unknown = new Allowance(UNKNOWN_RATE)
  readonly #inner = new Allowance(INNER_RATE)
  #changes = 0

  constructor({ zones, clock, log, onFound }: ZoneCacheOptions) {
    this.#source = zones
    this.#clock = clock
    this.#log = log
    this.#onFound = onFound
  }

  /** The longest zone that the name is in. A promise says when to ask again, and never rejects but for a failure. */
  find(name: string, now: number): FoundZone {
    for (const suffix of suffixesOf(name)) {
      const entry = this.#zones.get(suffix)
      if (entry === undefined) continue
      if (entry.isChanged) return this.#reload(suffix, entry)
      if (now >= entry.checkAt) this.#check(suffix, entry, now)
      const isSettled = suffix === name || this.#settled.get(name) === suffix
      return isSettled || !this.#inner.take(now) ? entry : this.#askInner(name, suffix)
    }
    if (this.#isAbsent(name, now)) return 'none'
    if (this.#unknown.take(now)) return this.#ask(name)
    for (const suffix of suffixesOf(name)) if (this.#isAbsent(suffix, now)) return 'none'
    return 'busy'
  }

  /** Whether this is the longest zone that the name is in. Where too many ask, it counts as part of it. */
  isIn(zone: string, name: string, now: number): boolean | Promise<void> {
    if (!isWithin(name, zone)) return false
    const found = this.find(name, now)
    if (found instanceof Promise) return found
    return typeof found === 'object' && found.index.zone.name === zone
  }

  /** Whatever has to do with the name is looked up again; `*` is everything. */
  invalidate(name: string): void {
    this.#changes++
    this.#settled.clear()
    this.#absent.clear()
    this.#asked.clear()
    for (const [zone, entry] of this.#zones)
      if (name === '*' || isWithin(name, zone) || isWithin(zone, name)) {
        entry.isChanged = true
        entry.changes++
        entry.load = undefined
      }
  }

  #isAbsent(name: string, now: number): boolean {
    const until = this.#absent.get(name)
    return until !== undefined && now < until
  }

  /** Whether there is a zone inside of a known one, which is served as it is when nobody can say. */
  async #askInner(name: string, zone: string): Promise<void> {
    try {
      await this.#ask(name)
    } catch (error) {
      this.#log.warn({ err: error, zone }, 'a zone could not be looked up; serving the last known state')
      remember(this.#settled, name, zone)
    }
  }

  #ask(name: string): Promise<void> {
    let asked = this.#asked.get(name)
    if (asked === undefined) {
      asked = this.#askSource(name).finally(() => {
        if (this.#asked.get(name) === asked) this.#asked.delete(name)
      })
      this.#asked.set(name, asked)
    }
    return asked
  }

  async #askSource(name: string): Promise<void> {
    const changes = this.#changes
    const zone = await this.#source.find(name)
    // Overtaken by a change: whoever waits asks again.
    if (changes !== this.#changes) return
    const now = this.#clock.monotonic()
    if (zone === undefined) {
      for (const suffix of suffixesOf(name)) remember(this.#absent, suffix, now + ABSENT_MS)
      return
    }
    remember(this.#settled, name, zone.name)
    const known = this.#zones.get(zone.name)
    if (known === undefined) this.#keep(zone, now)
    else this.#renew(known, zone, now)
  }

  #reload(name: string, entry: Entry): Promise<void> {
    entry.load ??= this.#load(name, entry)
    return entry.load
  }

  async #load(name: string, entry: Entry): Promise<void> {
    const { changes } = entry
    const isOvertaken = () => entry.changes !== changes
    try {
      const zone = await this.#source.find(name)
      if (isOvertaken()) return
      const now = this.#clock.monotonic()
      if (zone?.name !== name) {
        this.#drop(name)
        this.#onFound()
      } else {
        this.#renew(entry, zone, now)
      }
    } catch (error) {
      if (isOvertaken()) return
      entry.checkAt = this.#clock.monotonic() + RETRY_MS
      this.#log.warn(
        { err: error, zone: name },
        'a zone could not be looked up; serving the last known state',
      )
    }
    entry.isChanged = false
    entry.load = undefined
  }

  #check(name: string, entry: Entry, now: number): void {
    entry.checkAt = now + RETRY_MS
    void this.#reload(name, entry)
  }

  #renew(entry: Entry, zone: Zone, now: number): void {
    entry.checkAt = now + CHECK_MS
    const isSame = isSameZone(entry.index.zone, zone)
    if (isSame && entry.index.zone.serial === zone.serial) return
    this.#keep(zone, now)
    // A serial alone also grows with what happens in other zones, and is of no use to those who ask.
    if (!isSame) this.#onFound()
  }

  #keep(zone: Zone, now: number): void {
    this.#drop(zone.name)
    const index = indexZone(zone)
    this.#zones.set(zone.name, {
      index,
      checkAt: now + CHECK_MS,
      isChanged: false,
      changes: 0,
      load: undefined,
    })
    this.#records += weightOf(zone)
    // The one that was looked up longest ago goes first: it comes back with the next question.
    for (const oldest of this.#zones.keys()) {
      if (this.#records <= MAX_RECORDS || oldest === zone.name) break
      this.#drop(oldest)
    }
  }

  #drop(name: string): void {
    const entry = this.#zones.get(name)
    if (entry === undefined) return
    this.#zones.delete(name)
    this.#records -= weightOf(entry.index.zone)
  }
}

const weightOf = ({ records }: Zone): number => 10 + records.length

function remember<V>(names: Map<string, V>, name: string, value: V): void {
  if (names.size >= MAX_NAMES) names.clear()
  names.set(name, value)
}

/** Whether it answers the same, but for the serial. */
const isSameZone = (a: Zone, b: Zone): boolean =>
  a.records.length === b.records.length &&
  a.nameservers.join() === b.nameservers.join() &&
  a.records.every((record, i) => {
    const other = b.records[i]
    return (
      other !== undefined &&
      record.name === other.name &&
      record.type === other.type &&
      record.value === other.value &&
      record.ttl === other.ttl &&
      record.origin === other.origin
    )
  })
