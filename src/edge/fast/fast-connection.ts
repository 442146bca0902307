import type { Socket } from 'node:net'
import { headerLines } from '../answer.ts'
import { tagInHand } from '../file/entity-tag.ts'
import type { FileAnswer, Representation } from '../file/file-answer.ts'
import { pickRepresentation, prepareRepresentation } from '../file/representation.ts'
import { notModifiedHeaders } from '../file/static-answer.ts'
import { type FunctionOutcome, PreparedCall } from '../function/function-request.ts'
import { type Reads, readDirectly } from '../request/direct-reads.ts'
import { plainAddress } from '../request/plain-address.ts'
import { type HeaderBlock, readHeaderBlock, readRequestLine } from '../request/request-head.ts'
import { rawPathOf } from '../request/request-path.ts'
import type { Shared } from '../shared.ts'
import { isImagePath } from '../site/image-target.ts'
import { isPersonal } from '../site/personal.ts'
import type { SiteEntry } from '../site/site-entry.ts'
import { type VisitEnd, visitRecord } from '../visit-record.ts'
import { type FastCall, type FastCallOptions, type FastEnd, isFast, startFastCall } from './fast-call.ts'
import type { FoundHit, KeptHits, Lookup } from './kept-hits.ts'
import { stampedHead, statusLine, Wire } from './wire.ts'

/** Gives a connection to a server of node:http. What was read of it and not answered comes again. */
export type HandOver = (socket: Socket) => void

export interface FastConnectionOptions extends Shared {
  readonly keepAliveMs: number
  readonly hits: KeptHits
}

/** Longer heads are for others to read. */
const MAX_HEAD_BYTES = 8192

/** Once for the site and once for the content. If more is missing, others know how to say what is wrong. */
const MAX_WAITS = 2

/** So much may come while an answer is waited for; the rest waits with the peer. */
const MAX_AHEAD_BYTES = 64 * 1024

/** A connection whose requests are answered without node:http, as long as it sends nothing but hot GETs. */
export class FastConnection {
  readonly #socket: Socket
  readonly #reads: Reads
  readonly #options: FastConnectionOptions
  readonly #handOver: HandOver
  readonly #forget: (connection: FastConnection) => void
  readonly #ip: string
  readonly #isSecure: boolean
  readonly #scheme: 'http' | 'https'
  /** What ends every head. */
  readonly #headEnd: string
  readonly #callOptions: FastCallOptions
  #lastAsked: Asked | undefined
  /** The call before: most clients ask the same function again. */
  #lastCall: LastCall | undefined
  /** Where the kept answer before was found: most clients ask for the same again. */
  #lastKept: LastKept | undefined
  #activeAt: number
  /** Whether the socket itself watches that an answer is being taken. */
  #isWatched = false
  /** Whether a request waits for its content to be brought into memory, or for a function. */
  #isWaiting = false
  #call: FastCall | undefined
  /** What has come while an answer was waited for. */
  #next: Buffer | undefined
  #isEnded = false
  #isReleasing = false
  #isGone = false

  /** `forget` is called when the connection is over or somebody else's. */
  constructor(
    socket: Socket,
    options: FastConnectionOptions,
    handOver: HandOver,
    forget: (connection: FastConnection) => void,
  ) {
    this.#socket = socket
    this.#options = options
    this.#handOver = handOver
    this.#forget = forget
    this.#ip = plainAddress(socket.remoteAddress)
    this.#isSecure = 'encrypted' in socket
    this.#scheme = this.#isSecure ? 'https' : 'http'
    this.#activeAt = options.clock.monotonic()
    const seconds = Math.floor(options.keepAliveMs / 1000)
    this.#headEnd = `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`
    const { functions, streams, httpDate, clock } = options
    this.#callOptions = { functions, streams, date: () => httpDate(clock.now()), headEnd: this.#headEnd }
    socket.on('end', this.#onEnd)
    socket.on('timeout', this.#onTimeout)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
    this.#reads = readDirectly(socket, this.#onData)
  }

  release(): void {
    if (this.#isWaiting) this.#isReleasing = true
    else this.#giveAway(undefined)
  }

  /** Ends the connection if it has been idle for too long. */
  sweep(now: number): void {
    if (this.#isWaiting || this.#socket.writableLength > 0) return
    if (this.#isWatched) {
      this.#isWatched = false
      this.#socket.setTimeout(0)
    }
    if (now - this.#activeAt >= this.#options.keepAliveMs) this.#socket.destroy()
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isWaiting) {
      // The peer does not wait for its answers; it will have to.
      this.#next = join(this.#next, chunk)
      if (this.#next.length >= MAX_AHEAD_BYTES) this.#reads.pause()
      return
    }
    // With bytes of the answer before still to go, the peer is slow, or does not wait for its answers.
    const isReadable = chunk.length <= MAX_HEAD_BYTES && this.#socket.writableLength === 0
    const result = isReadable ? this.#serve(chunk) : 'doubt'
    if (result === 'doubt') this.#giveAway(chunk)
    else if (result !== 'served') this.#waitFor(result, chunk, MAX_WAITS)
  }

  #waitFor(needed: Promise<unknown>, chunk: Buffer, waitsLeft: number): void {
    this.#isWaiting = true
    const retry = () => {
      this.#isWaiting = false
      if (this.#isGone) return
      const result = this.#isReleasing ? 'doubt' : this.#serve(chunk)
      if (result === 'served') this.#goOn()
      else if (result !== 'doubt' && waitsLeft > 1) this.#waitFor(result, chunk, waitsLeft - 1)
      else this.#giveAway(chunk)
    }
    needed.then(retry, retry)
  }

  /** Reads what has come meanwhile, unless the answer before is still to come. */
  #goOn(): void {
    if (this.#isWaiting) return
    const next = this.#next
    this.#next = undefined
    this.#reads.resume()
    if (next !== undefined) this.#onData(next)
    if (this.#isEnded && !this.#isWaiting && !this.#isGone) this.#socket.end()
  }

  /** Answers one request, or tells why not: a doubt, or something that has to be waited for. */
  #serve(chunk: Buffer): 'served' | 'doubt' | Promise<unknown> {
    const asked = this.#read(chunk)
    if (asked === undefined) return 'doubt'
    const { target, rawPath, query, block } = asked
    const { sites, hotAnswers, hits, contents, clock } = this.#options
    const now = clock.now()
    const since = clock.monotonic()
    const entry = sites.peek(block.host, since)
    if (entry === undefined) {
      // Only a host that was a site a moment ago: all others may be for somebody else.
      const changed = sites.isChanged(block.host) ? sites.find(block.host, since) : undefined
      return changed instanceof Promise ? changed : 'doubt'
    }
    if (!entry.isPlain) return 'doubt'
    const { site } = entry
    const known = this.#lastKept
    if (known !== undefined && known.entry === entry && known.asked === asked)
      return this.#sendKept({ entry, target, block, now, since }, hits.find(site, known.lookup))
    if (site.images !== undefined && isImagePath(entry, rawPath)) {
      const lookup = hits.lookUpImage(site, site.images, query, block.question)
      return this.#findKept({ entry, target, block, now, since }, asked, lookup)
    }
    if (isPersonal(entry, target.length > rawPath.length, block)) return 'doubt'
    const answer = hotAnswers.findAny(entry, rawPath, query)
    if (answer === undefined) return 'doubt'
    if ('kind' in answer) {
      const visit: Visit = { entry, target, block, now, since }
      if (!isFast(answer.target)) return 'doubt'
      if (!hits.mayHave(site, answer)) return this.#ask(visit, answer, chunk)
      return this.#findKept(visit, asked, hits.lookUp(site, answer, this.#scheme, block.question))
    }
    const visit: HotVisit = { entry, answer, target, block, now, since }
    if (block.ifNoneMatch !== undefined) {
      const tag = tagInHand(block.ifNoneMatch, answer.file.sha256, block.accepted)
      if (tag !== undefined) return this.#sendNotModified(visit, tag)
    }
    const ready = pickRepresentation(answer, block.accepted)
    if (ready?.content?.bytes !== undefined) return this.#sendWhole(visit, ready, ready.content.bytes)
    const prepared = prepareRepresentation(answer, block.accepted, contents)
    return prepared instanceof Promise ? prepared : 'doubt'
  }

  #ask(visit: Visit, outcome: FunctionOutcome, chunk: Buffer): 'served' {
    const { entry, block } = visit
    const { ids } = this.#options
    const socket = this.#socket
    const prepared = this.#prepare(entry, outcome, block)
    const id = ids.next()
    this.#isWaiting = true
    let isDone = false
    const call = startFastCall(
      socket,
      { entry, outcome, block, call: prepared, id },
      this.#callOptions,
      (end) => {
        isDone = true
        this.#onAnswered(visit, id, outcome, end, chunk)
      },
    )
    if (!isDone) this.#call = call
    return 'served'
  }

  /** Most clients ask the same function, with the same headers, again. */
  #prepare({ site }: SiteEntry, outcome: FunctionOutcome, block: HeaderBlock): PreparedCall {
    const last = this.#lastCall
    if (last !== undefined && last.outcome === outcome && last.block === block) return last.prepared
    const visitor = {
      ip: this.#ip,
      host: block.authority,
      scheme: this.#scheme,
      port: this.#socket.localPort,
    }
    const prepared = new PreparedCall(site, outcome, visitor, block.forwarded)
    this.#lastCall = { outcome, block, prepared }
    return prepared
  }

  #onAnswered(visit: Visit, id: string, outcome: FunctionOutcome, end: FastEnd, chunk: Buffer): void {
    this.#call = undefined
    this.#isWaiting = false
    if (end === 'again') {
      this.#giveAway(chunk)
      return
    }
    const entrypoint = end.source === 'error' ? '' : outcome.target.path
    const { status, bytes, source, coldStart, reason } = end
    const ended = { status, bytes, source, coldStart, reason, entrypoint }
    this.#record(visit, id, ended, this.#options.clock.monotonic())
    if (this.#socket.destroyed) return
    this.#watch()
    if (this.#isReleasing) this.#giveAway(undefined)
    else this.#goOn()
  }

  /** What was worked out is remembered only once something is kept there: until then others look closer. */
  #findKept(visit: Visit, asked: Asked, lookup: Lookup | undefined): 'served' | 'doubt' | Promise<unknown> {
    if (lookup === undefined) return 'doubt'
    const { entry } = visit
    const found = this.#options.hits.find(entry.site, lookup)
    if (found !== undefined) this.#lastKept = { entry, asked, lookup }
    return this.#sendKept(visit, found)
  }

  /** An answer that is kept for everybody, if it is there. */
  #sendKept(visit: Visit, found: FoundHit): 'served' | 'doubt' | Promise<unknown> {
    if (found === undefined) return 'doubt'
    if (found instanceof Promise) return found
    const { status, headers, body, source, entrypoint } = found.answer
    const date = this.#options.httpDate(visit.now)
    const id = this.#options.ids.next()
    found.head ??= this.#renderHead(headers as readonly string[])
    if (Buffer.isBuffer(body)) {
      this.#record(visit, id, { status, bytes: body.length, source, entrypoint }, visit.since)
      this.#send(found, statusLine(status), found.head, body, date, id)
    } else {
      this.#record(visit, id, { status, bytes: 0, source, entrypoint }, visit.since)
      this.#socket.write(stampedHead(statusLine(status), date, id) + found.head, 'latin1')
    }
    this.#watch()
    return 'served'
  }

  /** Undefined in any doubt. Most clients ask for the same again, or at least with the same headers. */
  #read(chunk: Buffer): Asked | undefined {
    const last = this.#lastAsked
    if (last !== undefined && chunk.equals(last.bytes)) return last
    const text = chunk.toString('latin1')
    const lineEnd = text.indexOf('\r\n')
    const target = readRequestLine(text, lineEnd)
    if (target === undefined) return undefined
    const headers = text.slice(lineEnd + 2)
    const block = headers === last?.block.text ? last.block : readHeaderBlock(headers)
    if (block === undefined) return undefined
    const rawPath = rawPathOf(target)
    const asked = { bytes: chunk, target, rawPath, query: target.slice(rawPath.length + 1), block }
    this.#lastAsked = asked
    return asked
  }

  #sendWhole(visit: HotVisit, representation: Representation, body: Buffer): 'served' {
    const date = this.#options.httpDate(visit.now)
    const id = this.#recordFile(visit, 200, body.length)
    representation.head ??= this.#renderHead(representation.headers)
    this.#send(representation, OK, representation.head, body, date, id)
    this.#watch()
    return 'served'
  }

  /** In one buffer that is kept for the next visitor, where that goes. */
  #send(
    kept: Pick<Representation, 'place'>,
    status: string,
    rest: string,
    body: Buffer,
    date: string,
    id: string,
  ): void {
    const { ids, wires } = this.#options
    const socket = this.#socket
    kept.place ??= wires.createPlace()
    const { place } = kept
    if (place.wire !== undefined) place.wire.stamp(date, ids)
    else if (wires.isWanted(place, body.length))
      wires.put(place, new Wire(stampedHead(status, date, id), date, rest, body))
    if (place.wire === undefined) {
      this.#sendPieces(stampedHead(status, date, id) + rest, body)
    } else {
      place.used = true
      socket.write(place.wire.bytes)
      // TLS has encrypted all of it by now. Of a plain connection, what has not gone out at once is still being read
      // from: the next visitor gets another buffer.
      if (!this.#isSecure && socket.writableLength > 0) wires.letGo(place)
    }
  }

  /** TLS would copy what it had to gather, and a plain connection would not. */
  #sendPieces(head: string, body: Buffer): void {
    const socket = this.#socket
    if (!this.#isSecure) socket.cork()
    socket.write(head, 'latin1')
    socket.write(body)
    if (!this.#isSecure) socket.uncork()
  }

  #sendNotModified(visit: HotVisit, tag: string): 'served' {
    const heads = visit.answer.notModifiedHeads
    let head = heads.get(tag)
    if (head === undefined) {
      head = this.#renderHead(notModifiedHeaders(visit.answer, tag))
      heads.set(tag, head)
    }
    const id = this.#recordFile(visit, 304, 0)
    this.#socket.write(stampedHead(NOT_MODIFIED, this.#options.httpDate(visit.now), id) + head, 'latin1')
    this.#watch()
    return 'served'
  }

  /** Notes the visit to a file and gives it an id. */
  #recordFile(visit: HotVisit, status: number, bytes: number): string {
    const id = this.#options.ids.next()
    const entrypoint = visit.answer.foundAt
    this.#record(visit, id, { status, bytes, source: 'static', entrypoint }, visit.since)
    return id
  }

  #record(
    { entry, target, block, now, since }: Visit,
    id: string,
    end: Omit<VisitEnd, 'ms'>,
    endedAt: number,
  ): void {
    const { visits } = this.#options
    this.#activeAt = endedAt
    visits.record(
      visitRecord(
        entry.site,
        {
          id,
          at: now,
          method: 'GET',
          path: target,
          protocol: 'HTTP/1.1',
          ip: this.#ip,
          userAgent: block.userAgent,
        },
        {
          status: end.status,
          ms: Math.round(endedAt - since),
          bytes: end.bytes,
          source: end.source,
          entrypoint: end.entrypoint,
          coldStart: end.coldStart,
          reason: end.reason,
        },
      ),
    )
  }

  /** What node:http makes of the same headers. */
  #renderHead(headers: readonly string[]): string {
    return headerLines(headers) + this.#headEnd
  }

  /** While an answer is on its way, the peer has to take some of it from time to time. */
  #watch(): void {
    if (this.#isWatched || this.#socket.writableLength === 0) return
    this.#isWatched = true
    this.#socket.setTimeout(this.#options.keepAliveMs)
  }

  /** `unread` comes again, and what has come after it. */
  #giveAway(unread: Buffer | undefined): void {
    const socket = this.#socket
    const next = this.#next
    this.#next = undefined
    this.#leave()
    socket.setTimeout(0)
    socket.pause()
    const all = next === undefined ? unread : join(unread, next)
    if (all !== undefined) socket.unshift(all)
    this.#handOver(socket)
    socket.resume()
  }

  #leave(): void {
    const socket = this.#socket
    this.#isGone = true
    this.#reads.stop()
    socket.off('end', this.#onEnd)
    socket.off('timeout', this.#onTimeout)
    socket.off('error', this.#onError)
    socket.off('close', this.#onClose)
    this.#forget(this)
  }

  readonly #onEnd = (): void => {
    // Whoever has said all that they want to say still gets their answer.
    this.#isEnded = true
    if (!this.#isWaiting) this.#socket.end()
    else this.#call?.peerEnded()
  }

  readonly #onTimeout = (): void => {
    // While we are the slow ones, the peer has nothing to hurry for.
    if (!this.#isWaiting || this.#socket.writableLength > 0) this.#socket.destroy()
  }

  readonly #onError = (): void => {
    this.#socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#call?.cancel()
    this.#leave()
  }
}

interface Asked {
  readonly bytes: Buffer
  readonly target: string
  /** The target without its query. */
  readonly rawPath: string
  readonly query: string
  readonly block: HeaderBlock
}

interface Visit {
  readonly entry: SiteEntry
  readonly target: string
  readonly block: HeaderBlock
  readonly now: number
  /** The same moment by the monotonic clock. */
  readonly since: number
}

interface LastCall {
  readonly outcome: FunctionOutcome
  readonly block: HeaderBlock
  readonly prepared: PreparedCall
}

interface LastKept {
  readonly entry: SiteEntry
  readonly asked: Asked
  readonly lookup: Lookup
}

interface HotVisit extends Visit {
  readonly answer: FileAnswer
}

const join = (first: Buffer | undefined, second: Buffer): Buffer =>
  first === undefined ? second : Buffer.concat([first, second])

const OK = 'HTTP/1.1 200 OK\r\n'
const NOT_MODIFIED = 'HTTP/1.1 304 Not Modified\r\n'
