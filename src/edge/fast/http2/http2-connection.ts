import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SiteVisit } from '#core/site/site.ts'
import type { HeaderList } from '../../answer.ts'
import { notModifiedHeaders } from '../../file/static-answer.ts'
import type { Moment } from '../../moment.ts'
import { type Reads, readDirectly } from '../../request/direct-reads.ts'
import { plainAddress } from '../../request/plain-address.ts'
import { readHeaderBlock, readTarget } from '../../request/request-head.ts'
import { visitRecord } from '../../visit-record.ts'
import {
  askedFor,
  type FastAnswer,
  type FastAnswerOptions,
  findFastAnswer,
  MAX_WAITS,
  type PlainGet,
} from '../fast-answer.ts'
import {
  ERROR,
  FIRST_WINDOW,
  FLAG,
  frame,
  goAway,
  HEAD_BYTES,
  MAX_FRAME_BYTES,
  MAX_WINDOW,
  PREFACE,
  readHead,
  settingsAck,
  TYPE,
  writeHead,
} from './frames.ts'
import { type Field, HeaderDecoder } from './header-decoder.ts'
import { createHttp2Head, type Http2Head } from './http2-head.ts'
import { Http2Relay } from './http2-relay.ts'

/** Gives a connection to node:http2: the socket itself before anything was sent, or else a part of its streams. */
type HandOverHttp2 = (connection: Duplex) => void

interface Http2ConnectionOptions extends FastAnswerOptions {
  readonly keepAliveMs: number
  /** So long the first request is waited for before the connection is left to node:http2. */
  readonly firstRequestMs?: number | undefined
}

export interface Http2Given {
  /** What node:http2 tells its peers at the start, packed. */
  readonly settings: Buffer
  /** Of the headers of one request; it is one of the settings. */
  readonly maxHeaderBytes: number
  readonly handOver: HandOverHttp2
}

/** Most send it right after the handshake; those who wait for a word of ours first should not wait for long. */
const FIRST_REQUEST_MS = 10
const MAX_FIRST_BYTES = 64 * 1024
/** As those who read header blocks elsewhere have it: more serve no purpose but to keep us busy. */
const MAX_CONTINUATIONS = 8
const MAX_BLOCK_BYTES = 64 * 1024
const MAX_SETTINGS = 32
/** Longer ones are for others to read: what is read here is remembered for as long as the connection is open. */
const MAX_HEAD_BYTES = 8192
/** A peer that asks and does not read what it gets is read again when it has. */
const MAX_UNSENT_BYTES = 256 * 1024
/** What goes out in one write at most, but for a single answer that is larger. */
const MAX_GATHERED_BYTES = 128 * 1024
/** So long whoever was told of an error may take to hear of it. */
const LINGER_MS = 2000

/**
 * An HTTP/2 connection whose hot GETs are answered without node:http2, which makes four objects of each. It is ours only
 * if its first request is one of these; all that is anything else, or leaves a doubt, goes to node:http2 by a relay.
 */
export class Http2Connection {
  readonly socket: Socket
  readonly #reads: Reads
  readonly #options: Http2ConnectionOptions
  readonly #given: Http2Given
  readonly #forget: (connection: Http2Connection) => void
  readonly #ip: string
  readonly #isSecure: boolean
  readonly #scheme: 'http' | 'https'
  readonly #decoder: HeaderDecoder
  readonly #timer: NodeJS.Timeout
  #isOpening = true
  /** Whether the first request waits for its content to be brought into memory, and how often it still may. */
  #isWaiting = false
  #waitsLeft = MAX_WAITS
  #isReleasing = false
  #isGone = false
  #isWatched = false
  /** Says that what was sent has been taken. */
  #taken: (() => void) | undefined
  #activeAt: number
  /** What came and is not a whole frame yet, or waits until there is room for what becomes of it. */
  #rest: Buffer | undefined
  #isPaused = false
  /** Whether the peer has said all. */
  #isEnded = false
  #relay: Http2Relay | undefined
  /** When the relay began to wait for the window, or was last let go on by it. */
  #heldAt = 0
  /** A header block that goes on in the next frame. */
  #block:
    | { readonly stream: number; readonly flags: number; readonly parts: Buffer[]; bytes: number }
    | undefined
  #lastAsked: LastAsked | undefined
  #lastHeaders: { readonly text: string; readonly block: PlainGet['block'] } | undefined
  lastStream = 0
  window = FIRST_WINDOW
  #streamWindow = FIRST_WINDOW
  /** What the peer has set, by number. */
  readonly #settings = new Map<number, number>()
  /** Acknowledgements of our settings that are still to come. */
  #owedAcks = 0
  /** Frames that go out together when all that came has been read. */
  #unsent: Buffer[] = []
  #answers: OutgoingAnswer[] = []
  #answerBytes = 0

  constructor(
    socket: Socket,
    options: Http2ConnectionOptions,
    given: Http2Given,
    forget: (connection: Http2Connection) => void,
  ) {
    this.socket = socket
    this.#options = options
    this.#given = given
    this.#forget = forget
    this.#decoder = new HeaderDecoder(given.maxHeaderBytes)
    this.#ip = plainAddress(socket.remoteAddress)
    this.#isSecure = 'encrypted' in socket
    this.#scheme = this.#isSecure ? 'https' : 'http'
    this.#activeAt = options.clock.monotonic()
    this.#timer = setTimeout(this.#giveAway, options.firstRequestMs ?? FIRST_REQUEST_MS)
    socket.on('end', this.#onEnd)
    socket.on('timeout', this.#onTimeout)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
    socket.on('drain', this.#goOn)
    socket.on('drain', this.#onTaken)
    socket.on('close', this.#onTaken)
    this.#reads = readDirectly(socket, this.#onData)
  }

  get maxHeaderBytes(): number {
    return this.#given.maxHeaderBytes
  }

  /** From now on all is for node:http2, which knows how to end it. */
  release(): void {
    if (this.#isOpening) {
      this.#giveAway()
      return
    }
    this.#isReleasing = true
    this.#startRelay()
  }

  /**
   * Ends the connection if it has been idle for too long. With a relay, that is for those who have it, unless nothing of theirs
   * can be sent.
   */
  sweep(now: number): void {
    const { socket } = this
    if (this.#relay?.isWaiting && now - this.#heldAt >= this.#options.keepAliveMs) this.#fail(ERROR.none)
    if (this.#relay !== undefined || socket.writableLength > 0) return
    if (this.#isWatched) {
      this.#isWatched = false
      socket.setTimeout(0)
    }
    if (now - this.#activeAt >= this.#options.keepAliveMs) this.#fail(ERROR.none)
  }

  readonly #onData = (chunk: Buffer): void => {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    this.#rest = undefined
    if (this.#isOpening) this.#open(bytes)
    else this.#readFrames(bytes, 0)
  }

  /** Looks whether the first request is one for us; nothing is sent before that is known. */
  #open(bytes: Buffer): void {
    const first = firstBlockOf(bytes)
    if (first === 'more' || this.#isWaiting) {
      this.#rest = bytes
      if (bytes.length >= MAX_FIRST_BYTES) this.#giveAway()
      return
    }
    const fields =
      typeof first === 'object' ? new HeaderDecoder(this.maxHeaderBytes).decode(first) : undefined
    const asked = fields && this.#asked(fields)
    const found = asked && this.#find(asked, this.#moment())
    if (found instanceof Promise && this.#waitsLeft > 0) {
      this.#rest = bytes
      this.#waitFor(found)
      return
    }
    if (found === undefined || !isAnswered(found)) {
      this.#rest = bytes
      this.#giveAway()
      return
    }
    clearTimeout(this.#timer)
    this.#isOpening = false
    this.#owedAcks = 1
    this.#unsent.push(frame(TYPE.settings, 0, 0, this.#given.settings))
    this.#readFrames(bytes, PREFACE.length)
  }

  /** For a site or its content to be brought into memory. */
  #waitFor(needed: Promise<unknown>): void {
    clearTimeout(this.#timer)
    this.#isWaiting = true
    this.#waitsLeft--
    const retry = () => {
      this.#isWaiting = false
      const bytes = this.#rest
      if (this.#isGone || bytes === undefined) return
      this.#rest = undefined
      this.#open(bytes)
    }
    needed.then(retry, retry)
  }

  #readFrames(bytes: Buffer, from: number): void {
    let at = from
    while (bytes.length - at >= HEAD_BYTES && !this.#isGone && !this.#isCongested()) {
      const { length, type, flags, stream } = readHead(bytes, at)
      if (length > MAX_FRAME_BYTES) {
        this.#fail(ERROR.frameSize)
        return
      }
      const end = at + HEAD_BYTES + length
      if (end > bytes.length) break
      const error = this.#readFrame(type, flags, stream, bytes.subarray(at, end))
      if (error !== undefined) {
        this.#fail(error)
        return
      }
      at = end
      // A few bytes may ask for very many.
      if (this.#answerBytes >= MAX_GATHERED_BYTES) this.#flush()
    }
    if (this.#isGone) return
    // What is kept must not be a part of memory that is used again.
    if (at < bytes.length) this.#rest = Buffer.from(bytes.subarray(at))
    this.#flush()
    if (!this.#isCongested()) return
    this.#isPaused = true
    this.#reads.pause()
  }

  /** Whether what came before has to be taken first, by the peer or by the relay. */
  #isCongested(): boolean {
    return this.socket.writableLength > MAX_UNSENT_BYTES || this.#relay?.isFull === true
  }

  readonly #goOn = (): void => {
    if (this.#isGone || !this.#isPaused || this.#isCongested()) return
    this.#isPaused = false
    this.#reads.resume()
    const unread = this.#rest
    this.#rest = undefined
    if (unread !== undefined) this.#readFrames(unread, 0)
    if (this.#isEnded) this.#onEnd()
  }

  /** Answers the error for which the connection has to end. */
  #readFrame(type: number, flags: number, stream: number, whole: Buffer): number | undefined {
    if (this.#block !== undefined && (type !== TYPE.continuation || stream !== this.#block.stream))
      return ERROR.protocol
    const payload = whole.subarray(HEAD_BYTES)
    switch (type) {
      case TYPE.headers:
        return this.#readHeaders(flags, stream, payload)
      case TYPE.continuation:
        return this.#readContinuation(flags, payload)
      case TYPE.settings:
        return this.#readSettings(flags, stream, payload, whole)
      case TYPE.windowUpdate:
        return this.#readWindowUpdate(flags, stream, payload, whole)
      case TYPE.ping:
        if (stream !== 0) return ERROR.protocol
        if (payload.length !== 8) return ERROR.frameSize
        if ((flags & FLAG.ack) === 0) this.#unsent.push(frame(TYPE.ping, FLAG.ack, 0, payload))
        else return this.#forward(type, flags, stream, whole)
        return undefined
      case TYPE.goAway:
        if (stream !== 0) return ERROR.protocol
        return this.#forward(type, flags, stream, whole)
      case TYPE.reset:
        if (stream === 0 || stream > this.lastStream) return ERROR.protocol
        if (payload.length !== 4) return ERROR.frameSize
        return this.#relay?.knows(stream) ? this.#forward(type, flags, stream, whole) : undefined
      case TYPE.data:
        if (stream === 0 || stream > this.lastStream) return ERROR.protocol
        if (!this.#relay?.knows(stream)) return ERROR.streamClosed
        return this.#forward(type, flags, stream, whole)
      case TYPE.push:
        return ERROR.protocol
      case TYPE.priority:
        if (stream === 0) return ERROR.protocol
        return payload.length === 5 ? undefined : ERROR.frameSize
      default:
        return undefined
    }
  }

  #readHeaders(flags: number, stream: number, payload: Buffer): number | undefined {
    if (stream % 2 === 0) return ERROR.protocol
    let from = 0
    let to = payload.length
    if ((flags & FLAG.padded) !== 0) {
      if (to < 1) return ERROR.frameSize
      from = 1
      to -= payload[0] as number
    }
    if ((flags & FLAG.priority) !== 0) from += 5
    if (from > to) return ERROR.protocol
    const part = payload.subarray(from, to)
    if ((flags & FLAG.endHeaders) !== 0) return this.#takeBlock(stream, flags, part)
    this.#block = { stream, flags, parts: [Buffer.from(part)], bytes: part.length }
    return undefined
  }

  #readContinuation(flags: number, payload: Buffer): number | undefined {
    const block = this.#block
    if (block === undefined) return ERROR.protocol
    block.parts.push(Buffer.from(payload))
    block.bytes += payload.length
    if (block.parts.length > MAX_CONTINUATIONS || block.bytes > MAX_BLOCK_BYTES) return ERROR.enhanceYourCalm
    if ((flags & FLAG.endHeaders) === 0) return undefined
    this.#block = undefined
    return this.#takeBlock(block.stream, block.flags, Buffer.concat(block.parts))
  }

  #takeBlock(stream: number, flags: number, block: Buffer): number | undefined {
    const isEnd = (flags & FLAG.endStream) !== 0
    const isNew = stream > this.lastStream
    if (!isNew && !this.#relay?.knows(stream)) return ERROR.streamClosed
    const last = this.#lastAsked
    const isRepeated =
      last !== undefined && last.version === this.#decoder.version && last.block.equals(block)
    const before = this.#decoder.version
    const fields = isRepeated ? last.fields : this.#decoder.decode(block)
    if (fields === undefined) return ERROR.compression
    if (isNew) this.lastStream = stream
    if (isNew && isEnd && !this.#isReleasing) {
      const asked = isRepeated ? last.asked : this.#asked(fields)
      const version = this.#decoder.version
      if (asked !== undefined && !isRepeated && version === before)
        this.#lastAsked = { block: Buffer.from(block), version, fields, asked }
      if (asked !== undefined && this.#answer(stream, asked)) return undefined
    }
    return this.#startRelay().takeHeaders(stream, isEnd, fields)
  }

  #readSettings(flags: number, stream: number, payload: Buffer, whole: Buffer): number | undefined {
    if (stream !== 0) return ERROR.protocol
    if ((flags & FLAG.ack) !== 0) {
      if (payload.length > 0) return ERROR.frameSize
      if (this.#owedAcks > 0) this.#owedAcks--
      else if (this.#relay === undefined) return ERROR.protocol
      else return this.#forward(TYPE.settings, flags, 0, whole)
      return undefined
    }
    if (payload.length % 6 !== 0) return ERROR.frameSize
    if (payload.length > 6 * MAX_SETTINGS) return ERROR.enhanceYourCalm
    for (let at = 0; at < payload.length; at += 6) {
      const error = this.#set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2))
      if (error !== undefined) return error
    }
    this.#unsent.push(settingsAck())
    return this.#forward(TYPE.settings, flags, 0, whole)
  }

  #set(setting: number, value: number): number | undefined {
    if (setting === SETTING.initialWindow) {
      if (value > MAX_WINDOW) return ERROR.flowControl
      this.#streamWindow = value
    } else if (setting === SETTING.maxFrame) {
      if (value < MAX_FRAME_BYTES || value > 2 ** 24 - 1) return ERROR.protocol
    } else if (setting === SETTING.enablePush && value > 1) {
      return ERROR.protocol
    }
    if (this.#settings.size < MAX_SETTINGS) this.#settings.set(setting, value)
    return undefined
  }

  #readWindowUpdate(flags: number, stream: number, payload: Buffer, whole: Buffer): number | undefined {
    if (payload.length !== 4) return ERROR.frameSize
    if (stream > this.lastStream) return ERROR.protocol
    const by = payload.readUInt32BE(0) & MAX_WINDOW
    if (stream !== 0)
      return this.#relay?.knows(stream) ? this.#forward(TYPE.windowUpdate, flags, stream, whole) : undefined
    if (by === 0) return ERROR.protocol
    this.window += by
    if (this.window > MAX_WINDOW) return ERROR.flowControl
    this.#relay?.widen(by)
    return undefined
  }

  #forward(type: number, flags: number, stream: number, whole: Buffer): number | undefined {
    return this.#relay?.takeFrame(type, flags, stream, whole)
  }

  /** Undefined in any doubt. The same that is known of requests over HTTP/1.1 is known of these. */
  #asked(fields: readonly Field[]): PlainGet | undefined {
    let path: string | undefined
    let authority: string | undefined
    let pseudo = 0
    let text = ''
    for (const { name, value, isPlain } of fields) {
      if (!isPlain) return undefined
      if (name.startsWith(':')) {
        // They come first, and each of them once.
        if (text !== '') return undefined
        pseudo++
        if (name === ':path') path = value
        else if (name === ':authority') authority = value
        else if (name === ':method' ? value !== 'GET' : name !== ':scheme' || value !== this.#scheme)
          return undefined
      } else if (name === 'connection' || name === 'host') {
        return undefined
      } else {
        text += `${name}: ${value}\r\n`
      }
    }
    if (pseudo !== 4 || path === undefined || authority === undefined) return undefined
    if (path.length + authority.length + text.length > MAX_HEAD_BYTES) return undefined
    const target = readTarget(path)
    if (target === undefined) return undefined
    const lines = `host: ${authority}\r\n${text}\r\n`
    const known = this.#lastHeaders?.text === lines ? this.#lastHeaders.block : readHeaderBlock(lines)
    if (known === undefined) return undefined
    this.#lastHeaders = { text: lines, block: known }
    return askedFor(target, known)
  }

  #moment(): Moment {
    const { clock } = this.#options
    return { now: clock.now(), since: clock.monotonic() }
  }

  #find(asked: PlainGet, moment: Moment): FastAnswer | 'doubt' | Promise<unknown> {
    return findFastAnswer(this.#options, asked, this.#scheme, moment)
  }

  /** False when it is not for us. */
  #answer(stream: number, asked: PlainGet): boolean {
    const moment = this.#moment()
    const found = this.#find(asked, moment)
    if (!isAnswered(found)) return false
    const { ids, httpDate, visits } = this.#options
    const { now, since } = moment
    const date = httpDate(now)
    const id = ids.next()
    const sent = this.#shape(found, date, id)
    if (sent === undefined) return false
    const { head, status, body, source, entrypoint } = sent
    if (body.length > this.window || body.length > this.#streamWindow) return false
    if (!this.#options.unsent.hasRoom(this.#ip, body.length + this.#answerBytes)) return false
    this.window -= body.length
    this.#relay?.noteSent(body.length)
    this.#activeAt = since
    this.#answers.push({ stream, head, body, date, id })
    this.#answerBytes += sizeOf(head, body)
    visits.record(
      visitRecord(
        found.entry.site,
        {
          id,
          at: now,
          method: 'GET',
          path: asked.target,
          protocol: 'HTTP/2',
          ip: this.#ip,
          userAgent: asked.block.userAgent,
        },
        { status, ms: 0, bytes: body.length, source, entrypoint },
      ),
    )
    return true
  }

  /** Undefined when it has to be said by others. */
  #shape(found: PlainAnswer, date: string, id: string): Shaped | undefined {
    const head = (status: number, headers: HeaderList) => createHttp2Head(status, headers, date, id)
    if (found.kind === 'kept') {
      const { hit } = found
      const { status, headers, body, source, entrypoint } = hit.answer
      if (body !== undefined && !Buffer.isBuffer(body)) return undefined
      hit.http2Head ??= head(status, headers)
      return shaped(hit.http2Head, status, body ?? NOTHING, source, entrypoint)
    }
    const { answer } = found
    if (found.kind === 'file') {
      const { representation, body } = found
      representation.http2Head ??= head(200, representation.headers)
      return shaped(representation.http2Head, 200, body, 'static', answer.foundAt)
    }
    return shaped(head(304, notModifiedHeaders(answer, found.tag)), 304, NOTHING, 'static', answer.foundAt)
  }

  /** Sends all that has gathered, in one go. */
  #flush(): void {
    const { socket } = this
    if (this.#isGone) return
    let size = this.#answerBytes
    for (const each of this.#unsent) size += each.length
    if (size === 0) return
    // What is encrypted has been read by the time it is sent, so that the same memory does for the next.
    const isShared = this.#isSecure && size <= shared.length && socket.writableLength === 0
    const bytes = isShared ? shared : Buffer.allocUnsafe(size)
    let at = 0
    for (const each of this.#unsent) {
      bytes.set(each, at)
      at += each.length
    }
    for (const { stream, head, body, date, id } of this.#answers) {
      at = head.write(bytes, at, stream, body.length === 0, date, id)
      at = writeBody(bytes, at, stream, body)
    }
    this.#unsent = []
    this.#answers = []
    this.#answerBytes = 0
    socket.write(isShared ? bytes.subarray(0, size) : bytes)
    this.#watch()
  }

  /** While something is on its way, the peer has to take some of it from time to time. */
  #watch(): void {
    if (this.socket.writableNeedDrain) {
      this.#taken?.()
      this.#taken = this.#options.unsent.add(this.#ip, this.socket.writableLength)
    }
    if (this.#isWatched || this.socket.writableLength === 0) return
    this.#isWatched = true
    this.socket.setTimeout(this.#options.keepAliveMs)
  }

  /** Frames of the relay, which keeps to its turn. */
  send(frames: Buffer, dataBytes: number, done: () => void): void {
    this.#flush()
    this.window -= dataBytes
    this.socket.write(frames, done)
    this.#watch()
  }

  wantMore(): void {
    // What it is about to read is still counted as unread.
    if (this.#isPaused) process.nextTick(this.#goOn)
  }

  relayWaits(): void {
    this.#heldAt = this.#options.clock.monotonic()
    this.wantMore()
  }

  #startRelay(): Http2Relay {
    if (this.#relay !== undefined) return this.#relay
    const settings = Buffer.alloc(6 * this.#settings.size)
    let at = 0
    for (const [setting, value] of this.#settings) {
      settings.writeUInt16BE(setting, at)
      settings.writeUInt32BE(value, at + 2)
      at += 6
    }
    const relay = new Http2Relay(this, settings)
    this.#relay = relay
    this.#given.handOver(relay)
    return relay
  }

  /** Nothing was sent yet, and all that came is still there: it can be somebody else's as a whole. */
  readonly #giveAway = (): void => {
    const { socket } = this
    // Both sides have been ended before the first request.
    if (socket.readableEnded) return
    const unread = this.#rest
    this.#leave()
    if (unread !== undefined) socket.unshift(unread)
    this.#given.handOver(socket)
  }

  #fail(error: number): void {
    if (this.#isGone) return
    const { socket } = this
    this.#flush()
    socket.write(goAway(this.lastStream, error))
    this.#leave()
    // Whoever goes on talking is not listened to, and may not stay for long.
    socket.on('error', () => socket.destroy()).on('data', () => {})
    socket.setTimeout(LINGER_MS, () => socket.destroy())
    socket.end()
    this.#relay?.destroy()
  }

  /** It has ended without us. */
  relayClosed(): void {
    if (!this.#isGone) this.socket.destroy()
  }

  /** The peer was told to begin no more streams. */
  relayLeaving(): void {
    this.#isReleasing = true
  }

  #leave(): void {
    const { socket } = this
    this.#isGone = true
    clearTimeout(this.#timer)
    this.#reads.stop()
    socket.off('end', this.#onEnd)
    socket.off('timeout', this.#onTimeout)
    socket.off('error', this.#onError)
    socket.off('close', this.#onClose)
    socket.off('drain', this.#goOn)
    // What is on its way is counted until it is taken.
    if (this.#taken === undefined) socket.off('drain', this.#onTaken).off('close', this.#onTaken)
    this.#forget(this)
  }

  readonly #onTaken = (): void => {
    this.#taken?.()
    this.#taken = undefined
  }

  readonly #onEnd = (): void => {
    this.#isEnded = true
    // What came before is still to be read.
    if (this.#isPaused || this.#isGone) return
    if (this.#relay !== undefined) this.#relay.push(null)
    else this.socket.end()
  }

  readonly #onTimeout = (): void => {
    if (this.socket.writableLength > 0) this.socket.destroy()
  }

  readonly #onError = (): void => {
    this.socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#leave()
    this.#relay?.destroy()
  }
}

type PlainAnswer = Exclude<FastAnswer, { readonly kind: 'function' }>

const isAnswered = (found: FastAnswer | 'doubt' | Promise<unknown>): found is PlainAnswer =>
  found !== 'doubt' && !(found instanceof Promise) && found.kind !== 'function'

/** What is sent, and what is noted of it. */
interface Shaped {
  readonly head: Http2Head
  readonly status: number
  readonly body: Buffer
  readonly source: SiteVisit['source']
  readonly entrypoint: string
}

const shaped = (
  head: Http2Head | 'unfit',
  status: number,
  body: Buffer,
  source: SiteVisit['source'],
  entrypoint: string,
): Shaped | undefined => (head === 'unfit' ? undefined : { head, status, body, source, entrypoint })

/** An answer that is about to be sent. */
interface OutgoingAnswer {
  readonly stream: number
  readonly head: Http2Head
  readonly body: Buffer
  readonly date: string
  readonly id: string
}

interface LastAsked {
  readonly block: Buffer
  /** Of the decoder: at any other, the same bytes may mean something else. */
  readonly version: number
  readonly fields: readonly Field[]
  readonly asked: PlainGet
}

const SETTING = { enablePush: 2, initialWindow: 4, maxFrame: 5 } as const

const NOTHING = Buffer.alloc(0)

/** For what is sent by connections that have read it when it is. */
const shared = Buffer.allocUnsafeSlow(256 * 1024)

const sizeOf = (head: Http2Head, body: Buffer): number =>
  head.bytes + body.length + HEAD_BYTES * Math.ceil(body.length / MAX_FRAME_BYTES)

/** Answers where the next frame goes. */
function writeBody(bytes: Buffer, from: number, stream: number, body: Buffer): number {
  let at = from
  for (let sent = 0; sent < body.length; sent += MAX_FRAME_BYTES) {
    const length = Math.min(MAX_FRAME_BYTES, body.length - sent)
    const flags = sent + length === body.length ? FLAG.endStream : 0
    at = writeHead(bytes, at, length, TYPE.data, flags, stream)
    bytes.set(length === body.length ? body : body.subarray(sent, sent + length), at)
    at += length
  }
  return at
}

/**
 * The header block of the first request, if all before it is what a peer begins with; `more` when it is still to come, and
 * `other` when it is anything else.
 */
function firstBlockOf(bytes: Buffer): Buffer | 'more' | 'other' {
  const begun = Math.min(bytes.length, PREFACE.length)
  if (bytes.compare(PREFACE, 0, begun, 0, begun) !== 0) return 'other'
  let at = PREFACE.length
  let isFirst = true
  while (bytes.length - at >= HEAD_BYTES) {
    const { length, type, flags, stream } = readHead(bytes, at)
    const from = at + HEAD_BYTES
    if (length > MAX_FRAME_BYTES || isFirst !== (type === TYPE.settings)) return 'other'
    isFirst = false
    at = from + length
    if (type === TYPE.headers) {
      const isWhole = (flags & FLAG.endHeaders) !== 0 && (flags & FLAG.endStream) !== 0 && stream % 2 === 1
      if (!isWhole || (flags & FLAG.padded) !== 0) return 'other'
      if (at > bytes.length) return 'more'
      return bytes.subarray((flags & FLAG.priority) === 0 ? from : from + 5, at)
    }
    const isExpected = type === TYPE.settings || type === TYPE.windowUpdate || type === TYPE.priority
    if (!isExpected) return 'other'
  }
  return 'more'
}
