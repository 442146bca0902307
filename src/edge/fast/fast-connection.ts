// The globals of Node.js are accessors, which are called each time.
import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import { type Answer, headerLines } from '../answer.ts'
import type { FileAnswer, Representation } from '../file/file-answer.ts'
import { notModifiedHeaders } from '../file/static-answer.ts'
import { type FunctionOutcome, PreparedCall } from '../function/function-request.ts'
import type { Moment } from '../moment.ts'
import { type Reads, readDirectly } from '../request/direct-reads.ts'
import { writeDirectly } from '../request/direct-writes.ts'
import { plainAddress } from '../request/plain-address.ts'
import { type HeaderBlock, readHeaderBlock, readRequestLine } from '../request/request-head.ts'
import type { SiteEntry } from '../site/site-entry.ts'
import { type VisitEnd, visitRecord } from '../visit-record.ts'
import type { CachedHit } from './cached-hits.ts'
import { askedFor, type FastAnswerOptions, findFastAnswer, MAX_WAITS, type PlainGet } from './fast-answer.ts'
import {
  type FastCall,
  type FastCallOptions,
  type FastEnd,
  type FastRequest,
  startFastCall,
} from './fast-call.ts'
import { stampedHead, statusLine, Wire } from './wire.ts'

/** Gives a connection to a server of node:http. What was read of it and not answered comes again. */
export type HandOver = (socket: Socket) => void

interface FastConnectionOptions extends FastAnswerOptions {
  readonly keepAliveMs: number
}

/** Longer heads are for others to read. */
const MAX_HEAD_BYTES = 8192

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
  #lastAsked: RepeatedGet | undefined
  /** The call before: most clients ask the same function again. */
  #lastCall: LastCall | undefined
  #activeAt: number
  /** Whether the socket itself watches that an answer is being taken. */
  #isWatched = false
  /** Says that what was sent has been taken. */
  #taken: (() => void) | undefined
  /** Whether a request waits for its content to be brought into memory, or for a function. */
  #isWaiting = false
  #call: FastCall<FunctionVisit> | undefined
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
    this.#callOptions = {
      ...{ functions, streams, from: this.#ip },
      ...{ date: () => httpDate(clock.now()), headEnd: this.#headEnd },
    }
    socket.on('end', this.#onEnd)
    socket.on('timeout', this.#onTimeout)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
    socket.on('drain', this.#onTaken)
    socket.on('close', this.#onTaken)
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
    const { clock } = this.#options
    const now = clock.now()
    const since = clock.monotonic()
    const found = findFastAnswer(this.#options, asked, this.#scheme, { now, since })
    if (found === 'doubt' || found instanceof Promise) return found
    const { target, block } = asked
    const { entry } = found
    if (found.kind === 'function') {
      const { outcome } = found
      const call = this.#prepare(entry, outcome, block)
      const id = this.#options.ids.next()
      return this.#ask({ entry, target, block, now, since, outcome, call, id, chunk })
    }
    const visit: Visit = { entry, target, block, now, since }
    switch (found.kind) {
      case 'kept':
        if (!this.#hasRoom(bytesIn(found.hit.answer.body))) return 'doubt'
        return this.#sendKept(visit, found.hit)
      case 'unchanged':
        return this.#sendNotModified(visit, found.answer, found.tag)
      case 'file':
        if (!this.#hasRoom(found.body.length)) return 'doubt'
        return this.#sendWhole(visit, found.answer, found.representation, found.body)
    }
  }

  /** Whether a body of this length may go out in one write. */
  #hasRoom(bytes: number): boolean {
    return this.#options.unsent.hasRoom(this.#ip, bytes)
  }

  #ask(visit: FunctionVisit): 'served' {
    this.#isWaiting = true
    const call = startFastCall(this.#socket, visit, this.#callOptions, this.#onAnswered)
    if (!call.isOver) this.#call = call
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

  readonly #onAnswered = (visit: FunctionVisit, end: FastEnd): void => {
    this.#call = undefined
    this.#isWaiting = false
    if (end === 'again') {
      this.#giveAway(visit.chunk)
      return
    }
    const entrypoint = end.source === 'error' ? '' : visit.outcome.target.path
    const { status, bytes, source, coldStart, reason } = end
    const ended = { status, bytes, source, coldStart, reason, entrypoint }
    this.#record(visit, visit.id, ended, this.#options.clock.monotonic())
    if (this.#socket.destroyed) return
    this.#watch()
    if (this.#isReleasing) this.#giveAway(undefined)
    else this.#goOn()
  }

  /** An answer that is kept for everybody. */
  #sendKept(visit: Visit, found: CachedHit): 'served' {
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
      this.#watch()
    }
    return 'served'
  }

  /** Undefined in any doubt. Most clients ask for the same again, or at least with the same headers. */
  #read(chunk: Buffer): RepeatedGet | undefined {
    const last = this.#lastAsked
    if (last !== undefined && chunk.equals(last.bytes)) {
      last.isRepeated = true
      return last
    }
    const text = chunk.toString('latin1')
    const lineEnd = text.indexOf('\r\n')
    const target = readRequestLine(text, lineEnd)
    if (target === undefined) return undefined
    const headers = text.slice(lineEnd + 2)
    const block = headers === last?.block.text ? last.block : readHeaderBlock(headers)
    if (block === undefined) return undefined
    const asked = Object.assign(askedFor(target, block), { bytes: chunk })
    this.#lastAsked = asked
    return asked
  }

  #sendWhole(visit: Visit, answer: FileAnswer, representation: Representation, body: Buffer): 'served' {
    const date = this.#options.httpDate(visit.now)
    const id = this.#recordFile(visit, answer, 200, body.length)
    representation.head ??= this.#renderHead(representation.headers)
    this.#send(representation, OK, representation.head, body, date, id)
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
    kept.place ??= wires.createPlace()
    const { place } = kept
    if (place.wire !== undefined) place.wire.stamp(date, ids)
    else if (wires.isWanted(place, body.length))
      wires.put(place, new Wire(stampedHead(status, date, id), date, rest, body))
    if (place.wire === undefined) {
      this.#sendPieces(stampedHead(status, date, id) + rest, body)
    } else {
      place.used = true
      // Of most answers nothing is left to be watched.
      if (writeDirectly(this.#socket, place.wire.bytes)) return
      // TLS has encrypted all of it by now. Of a plain connection, what has not gone out at once is still being read
      // from: the next visitor gets another buffer.
      if (!this.#isSecure) wires.letGo(place)
    }
    this.#watch()
  }

  /** TLS would copy what it had to gather, and a plain connection would not. */
  #sendPieces(head: string, body: Buffer): void {
    const socket = this.#socket
    if (!this.#isSecure) socket.cork()
    socket.write(head, 'latin1')
    socket.write(body)
    if (!this.#isSecure) socket.uncork()
  }

  #sendNotModified(visit: Visit, answer: FileAnswer, tag: string): 'served' {
    const heads = answer.notModifiedHeads
    let head = heads.get(tag)
    if (head === undefined) {
      head = this.#renderHead(notModifiedHeaders(answer, tag))
      heads.set(tag, head)
    }
    const id = this.#recordFile(visit, answer, 304, 0)
    this.#socket.write(stampedHead(NOT_MODIFIED, this.#options.httpDate(visit.now), id) + head, 'latin1')
    this.#watch()
    return 'served'
  }

  /** Notes the visit to a file and gives it an id. */
  #recordFile(visit: Visit, answer: FileAnswer, status: number, bytes: number): string {
    const id = this.#options.ids.next()
    const entrypoint = answer.foundAt
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
    if (this.#socket.writableNeedDrain) {
      this.#taken?.()
      this.#taken = this.#options.unsent.add(this.#ip, this.#socket.writableLength)
    }
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
    if (this.#isEnded) {
      // A stream that has told of its end takes nothing back.
      this.#handOver(socket)
      if (all !== undefined) socket.emit('data', all)
      socket.emit('end')
      return
    }
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
    // What is on its way is counted until it is taken, whoever has the connection then.
    if (this.#taken === undefined) socket.off('drain', this.#onTaken).off('close', this.#onTaken)
    this.#forget(this)
  }

  readonly #onTaken = (): void => {
    this.#taken?.()
    this.#taken = undefined
  }

  readonly #onEnd = (): void => {
    // Whoever has said all that they want to say still gets their answer.
    this.#isEnded = true
    if (!this.#isWaiting) this.#socket.end()
    else this.#call?.peerEnded()
  }

  readonly #onTimeout = (): void => {
    // The socket knows nothing of what went past its stream since: whether it is idle is for `sweep` to tell.
    if (this.#socket.writableLength > 0) this.#socket.destroy()
  }

  readonly #onError = (): void => {
    this.#socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#call?.cancel()
    this.#leave()
  }
}

interface RepeatedGet extends PlainGet {
  readonly bytes: Buffer
}

interface Visit extends Moment {
  readonly entry: SiteEntry
  readonly target: string
  readonly block: HeaderBlock
}

/** One that a function answers. */
interface FunctionVisit extends Visit, FastRequest {
  /** As it came. */
  readonly chunk: Buffer
}

interface LastCall {
  readonly outcome: FunctionOutcome
  readonly block: HeaderBlock
  readonly prepared: PreparedCall
}

const bytesIn = (body: Answer['body']): number => (Buffer.isBuffer(body) ? body.length : 0)

const join = (first: Buffer | undefined, second: Buffer): Buffer =>
  first === undefined ? second : Buffer.concat([first, second])

const OK = 'HTTP/1.1 200 OK\r\n'
const NOT_MODIFIED = 'HTTP/1.1 304 Not Modified\r\n'
