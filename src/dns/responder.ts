import { MINUTE } from '#contract/time.ts'
import type { ZoneSource } from '#core/dns/zone.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { Resolver } from '#core/ports/resolver.ts'
import { Shares } from '#core/shares.ts'
import { AliasTargets } from './alias-targets.ts'
import { type Answer, answerFrom, MAX_CHAIN, refusal } from './answer.ts'
import { HEADER_BYTES, MAX_TCP_BYTES, RCODE } from './codes.ts'
import { Cookies, writeCookie } from './cookies.ts'
import { fitTo, patchFor, writeAnswer, writeError, writeTruncated } from './message.ts'
import { readName, usualPart } from './name.ts'
import { type Nearest, type Network, Networks, readSubnet, writeSubnet } from './networks.ts'
import { createQuery, readQuery, SILENCE } from './query.ts'
import { DEFAULT_RATE_LIMITS, hashOf, RateLimit, type RateLimits, SEND, SLIP } from './rate-limit.ts'
import { questionHash, type Ready, WireCache } from './wire-cache.ts'
import { type CachedZone, ZoneCache } from './zone-cache.ts'

interface ResponderOptions {
  readonly zones: ZoneSource
  readonly resolver: Resolver
  readonly clock: Clock
  readonly log: Log
  /** Shared by all processes of the installation. */
  readonly cookieSecret: Buffer
  readonly limits?: RateLimits
  /** Which region is nearest to whom; without any, everybody is told the same. */
  readonly networks?: readonly Network[]
}

/** What was answered so far, by the code of the answer, and what was not. */
export interface Counts {
  readonly answers: readonly number[]
  /** Answers that were held back because one network was sent too many. */
  readonly limited: number
}

type Reply = Buffer | undefined

/** When to try again. */
interface Pending {
  readonly until: Promise<void>
  /** The zone whose ALIAS is looked up; absent where the zone itself is. */
  readonly zone?: string
}

/** Ready answers kept in each half of the cache. */
const MAX_READY = 10_000
/** Questions that may wait for a zone at one time. */
const MAX_WAITING = 2000
/** The same for the address that an ALIAS stands for: whoever has a zone says how long that takes. */
const WAITING_FOR_ALIAS = { all: 2000, one: 50 }
/** Each name of a chain may have to be looked up, and zones change meanwhile. */
const MAX_ATTEMPTS = MAX_CHAIN + 10
const READY_MS = MINUTE

/** Packets in, packets out. Answers at once where zone and addresses are in memory. */
export class Responder {
  readonly #clock: Clock
  readonly #log: Log
  readonly #zones: ZoneCache
  readonly #aliases: AliasTargets
  /** By the region that is nearest to who asks. */
  readonly #ready = new Map<string | undefined, WireCache>()
  readonly #networks: Networks
  readonly #cookies: Cookies
  readonly #limit: RateLimit
  readonly #query = createQuery()
  readonly #answered = [0, 0, 0, 0, 0, 0]
  #limited = 0
  readonly #waiting = new Shares({ all: MAX_WAITING, one: MAX_WAITING })
  readonly #waitingForAlias = new Shares(WAITING_FOR_ALIAS)
  #logAt = 0

  constructor({ zones, resolver, clock, log, cookieSecret, limits, networks = [] }: ResponderOptions) {
    this.#clock = clock
    this.#log = log
    this.#zones = new ZoneCache({ zones, clock, log, onFound: () => this.#forget() })
    this.#aliases = new AliasTargets({ zones: this.#zones, resolver, clock, log })
    this.#cookies = new Cookies(cookieSecret)
    this.#networks = new Networks(networks)
    this.#limit = new RateLimit(limits ?? DEFAULT_RATE_LIMITS)
  }

  /** The zone with this name, or one around or inside it, has come, changed or gone; `*` is all. */
  invalidate(name: string): void {
    this.#zones.invalidate(name)
    this.#forget()
  }

  counts(): Counts {
    return { answers: this.#answered, limited: this.#limited }
  }

  /** Undefined where nothing is to be sent. Neither throws nor rejects, whatever the packet is. */
  respond(packet: Buffer, address: string, isTcp: boolean): Reply | Promise<Reply> {
    const query = this.#query
    const code = readQuery(packet, query)
    if (code === SILENCE) return undefined
    const now = this.#clock.monotonic()
    if (code !== RCODE.NOERROR) return this.#refuse(packet, address, isTcp, code, now)
    let near: string | undefined
    let hasSubnet = false
    if (!this.#networks.isEmpty) {
      const place = this.#placeOf(packet, address)
      if (place === undefined) return this.#refuse(packet, address, isTcp, RCODE.FORMERR, now)
      near = place.origin
      hasSubnet = query.subnetAt !== 0
    }
    const hash = questionHash(packet, query.nameEnd)
    const ready = this.#readyFor(near).get(hash, packet, query.nameEnd)
    if (ready !== undefined && now < ready.expiresAt)
      return isTcp || query.cookieAt !== 0 || hasSubnet
        ? this.#send(packet, ready, address, isTcp, now)
        : this.#sendShared(packet, ready, address, now)
    return this.#prepareAndSend(packet, hash, address, isTcp, now, near)
  }

  /** Where the asker is, or its client if it says where that is; undefined where it says so in a wrong way. */
  #placeOf(packet: Buffer, address: string): Nearest | undefined {
    const { subnetAt, subnetBytes } = this.#query
    if (subnetAt === 0) return this.#networks.nearest(address)
    const subnet = readSubnet(packet, subnetAt, subnetBytes)
    return subnet && this.#networks.nearest(subnet.address)
  }

  #readyFor(near: string | undefined): WireCache {
    let ready = this.#ready.get(near)
    if (ready === undefined) {
      ready = new WireCache(MAX_READY)
      this.#ready.set(near, ready)
    }
    return ready
  }

  /** What EDNS says beside the answer. */
  #optionsFor(packet: Buffer, cookie: Buffer | undefined): Buffer | undefined {
    const { subnetAt, subnetBytes } = this.#query
    const options: Buffer[] = []
    if (cookie !== undefined) options.push(writeCookie(cookie))
    const subnet =
      subnetAt === 0 || this.#networks.isEmpty ? undefined : readSubnet(packet, subnetAt, subnetBytes)
    if (subnet !== undefined) options.push(writeSubnet(subnet, this.#networks.nearest(subnet.address).prefix))
    return options.length > 1 ? Buffer.concat(options) : options[0]
  }

  /** The way of nearly all questions. What it answers with is to be sent before the next one is read. */
  #sendShared(packet: Buffer, ready: Ready, address: string, now: number): Reply {
    const query = this.#query
    const shared = query.hasEdns ? ready.edns : ready.plain
    if (shared === undefined || shared.length > query.udpBytes) {
      const reply = this.#send(packet, ready, address, false, now)
      if (reply === undefined || reply.length < ready.bytes.length) return reply
      // A copy of its own, since the memory of small buffers is shared and would be held on to.
      const kept = Buffer.allocUnsafeSlow(reply.length)
      kept.set(reply)
      if (query.hasEdns) ready.edns = kept
      else ready.plain = kept
      return reply
    }
    const verdict = this.#limit.take(address, ready.identity, now, shared.length)
    if (verdict !== SEND) return this.#hold(packet, verdict)
    ;(this.#answered[(shared[3] as number) & 15] as number)++
    return patchFor(packet, query, shared)
  }

  #hold(packet: Buffer, verdict: number): Reply {
    this.#limited++
    return verdict === SLIP ? writeTruncated(packet, this.#query) : undefined
  }

  /** The query has been read. */
  #send(packet: Buffer, ready: Ready, address: string, isTcp: boolean, now: number): Reply {
    const query = this.#query
    const check =
      query.cookieAt === 0 ? undefined : this.#cookies.check(packet, query, address, this.#clock.now())
    if (!isTcp && check?.isKnown !== true) {
      // What does not fit is only said to be too long.
      const bytes = ready.bytes.length > query.udpBytes ? HEADER_BYTES : ready.bytes.length
      const verdict = this.#limit.take(address, ready.identity, now, bytes)
      if (verdict !== SEND) return this.#hold(packet, verdict)
    }
    ;(this.#answered[(ready.bytes[3] as number) & 15] as number)++
    return fitTo(
      packet,
      query,
      ready.bytes,
      isTcp ? MAX_TCP_BYTES : query.udpBytes,
      this.#optionsFor(packet, check?.cookie),
    )
  }

  #refuse(packet: Buffer, address: string, isTcp: boolean, code: number, now: number): Reply {
    if (!isTcp && this.#limit.take(address, code, now, HEADER_BYTES) !== SEND) {
      this.#limited++
      return undefined
    }
    ;(this.#answered[Math.min(code, RCODE.REFUSED)] as number)++
    return writeError(packet, this.#query, code)
  }

  #prepareAndSend(
    packet: Buffer,
    hash: number,
    address: string,
    isTcp: boolean,
    now: number,
    near: string | undefined,
  ) {
    try {
      const prepared = this.#prepare(packet, hash, now, near)
      if (!isPending(prepared)) return prepared && this.#send(packet, prepared, address, isTcp, now)
      return this.#wait(prepared, packet, hash, address, isTcp, near)
    } catch (error) {
      return this.#fail(error, packet, address, isTcp)
    }
  }

  async #wait(
    pending: Pending,
    packet: Buffer,
    hash: number,
    address: string,
    isTcp: boolean,
    near: string | undefined,
  ): Promise<Reply> {
    try {
      let prepared: Ready | Pending | undefined = pending
      for (let attempt = 0; isPending(prepared); attempt++) {
        if (attempt >= MAX_ATTEMPTS) throw new Error('the zone changes faster than it can be read')
        if (!(await this.#hasWaited(prepared))) return undefined
        readQuery(packet, this.#query)
        prepared = this.#prepare(packet, hash, this.#clock.monotonic(), near)
      }
      return prepared && this.#send(packet, prepared, address, isTcp, this.#clock.monotonic())
    } catch (error) {
      return this.#fail(error, packet, address, isTcp)
    }
  }

  /** Not where too many wait already: whoever asks will ask again. */
  async #hasWaited({ until, zone }: Pending): Promise<boolean> {
    const leave = zone === undefined ? this.#waiting.take('') : this.#waitingForAlias.take(zone)
    if (leave === undefined) {
      until.catch(() => undefined)
      return false
    }
    try {
      await until
      return true
    } finally {
      leave()
    }
  }

  /** Undefined is silence. */
  #prepare(packet: Buffer, hash: number, now: number, near: string | undefined): Ready | Pending | undefined {
    const { nameEnd, type } = this.#query
    const name = readName(packet, HEADER_BYTES)
    const findable = usualPart(name)
    const zone = findable === '' ? 'none' : this.#zones.find(findable, now)
    if (zone === 'busy') return undefined
    if (zone instanceof Promise) return { until: zone }
    if (zone === 'none') {
      const bytes = writeAnswer(packet, nameEnd, name, refusal(RCODE.REFUSED))
      return { bytes, expiresAt: now, identity: RCODE.REFUSED, plain: undefined, edns: undefined }
    }
    const { name: zoneName } = zone.index.zone
    const answer = answerFrom(
      zone.index,
      { name, type, near },
      {
        findAlias: (target, of) => this.#aliases.peek({ target, type: of, near, zone: zoneName }, now),
        isInZone: (target) => this.#zones.isIn(zoneName, target, now),
      },
    )
    if ('until' in answer) return answer
    if ('target' in answer) {
      const until = this.#aliases.load({ ...answer, near, zone: zoneName })
      return until && { until, zone: zoneName }
    }
    const ready = this.#readyOf(writeAnswer(packet, nameEnd, name, answer), answer, name, type, zone, now)
    if (answer.exists && answer.rcode === RCODE.NOERROR) this.#readyFor(near).set(hash, type, ready)
    return ready
  }

  #readyOf(bytes: Buffer, answer: Answer, name: string, type: number, zone: CachedZone, now: number): Ready {
    const {
      nodes,
      zone: { name: zoneName },
    } = zone.index
    // Names that a wildcard makes up, or that are not there, are without end: they count as one.
    const identity = nodes.has(name) ? hashOf(name, type) : hashOf(zoneName, answer.rcode)
    const expiresAt = Math.min(now + READY_MS, zone.checkAt, answer.expiresAt)
    return { bytes, identity, expiresAt, plain: undefined, edns: undefined }
  }

  #fail(error: unknown, packet: Buffer, address: string, isTcp: boolean): Reply {
    const now = this.#clock.monotonic()
    // There may be thousands a second, all for the same reason.
    if (now >= this.#logAt) {
      this.#logAt = now + 1000
      this.#log.warn({ err: error }, 'DNS queries could not be answered')
    }
    readQuery(packet, this.#query)
    return this.#refuse(packet, address, isTcp, RCODE.SERVFAIL, now)
  }

  #forget(): void {
    this.#ready.clear()
    this.#aliases.forgetOwn()
  }
}

const isPending = (prepared: Ready | Pending | undefined): prepared is Pending =>
  prepared !== undefined && 'until' in prepared
