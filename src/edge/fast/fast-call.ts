import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { afterWrite, oneATurn } from '#core/chunks.ts'
import type { SiteFunction } from '#core/site/site.ts'
import { type Answer, dropBody, headerLines, headerOf, valueIn } from '../answer.ts'
import { policyOf, policyOfCopy } from '../cache/cache-policy.ts'
import { errorAnswer } from '../error/error-answer.ts'
import { type Refusal, reasonOf } from '../error/refusal.ts'
import { siteHeaders } from '../file/file-answer.ts'
import { toAnswer } from '../function/function-answer.ts'
import {
  type CancellableCall,
  callFunction,
  type FunctionResponse,
  type Functions,
} from '../function/function-call.ts'
import type { FunctionOutcome, PreparedCall } from '../function/function-request.ts'
import { ownCookies } from '../function/own-cookies.ts'
import type { OpenStreams } from '../open-streams.ts'
import { writeDirectly } from '../request/direct-writes.ts'
import { GO_ON, type HalfClosedWatch, watchHalfClosed } from '../request/half-closed.ts'
import type { HeaderBlock } from '../request/request-head.ts'
import type { SiteEntry } from '../site/site-entry.ts'
import { endChunks, writeChunk } from '../upstream/chunk.ts'
import type { VisitEnd } from '../visit-record.ts'
import { stampedHead, statusLine, Wire } from './wire.ts'

/** A GET request that a function answers. */
export interface FastRequest {
  readonly entry: SiteEntry
  readonly outcome: FunctionOutcome
  readonly block: HeaderBlock
  readonly call: PreparedCall
  readonly id: string
}

export interface FastCallOptions {
  readonly functions: Functions
  /** The address of the visitor. */
  readonly from: string
  readonly streams: OpenStreams
  /** The date for an answer that is sent now. */
  readonly date: () => string
  /** What ends every head. */
  readonly headEnd: string
}

/** What was sent. `again`: nothing, and somebody who knows more pages should answer. */
export type FastEnd = (SentAnswer & Pick<VisitEnd, 'coldStart' | 'reason'>) | 'again'

type SentAnswer = Pick<VisitEnd, 'status' | 'bytes' | 'source'>

/** To whoever has left before anything was. */
const NOTHING_SENT: SentAnswer = { status: 499, bytes: 0, source: 'error' }

/** Whether a function can be asked for without node:http: it is for one visitor, and needs no look at anything else. */
export const isFast = ({ prerender }: SiteFunction): boolean => prerender === undefined

/**
 * Asks the function and sends its answer straight on the connection. `done` is called once; if the connection breaks
 * before that, the call is to be cancelled.
 */
export function startFastCall<R extends FastRequest>(
  socket: Socket,
  request: R,
  options: FastCallOptions,
  done: (request: R, end: FastEnd) => void,
): FastCall<R> {
  const call = new FastCall(socket, request, options, done)
  call.start()
  return call
}

export class FastCall<R extends FastRequest> implements CancellableCall {
  readonly #socket: Socket
  readonly #request: R
  readonly #options: FastCallOptions
  readonly #done: (request: R, end: FastEnd) => void
  #waiting: CancellableCall | undefined
  #body: Readable | undefined
  #sent = NOTHING_SENT
  #watch: HalfClosedWatch | undefined
  #isCold = false
  #reason: string | undefined
  #isOver = false

  constructor(
    socket: Socket,
    request: R,
    options: FastCallOptions,
    done: (request: R, end: FastEnd) => void,
  ) {
    this.#socket = socket
    this.#request = request
    this.#options = options
    this.#done = done
  }

  start(): void {
    const { call, id } = this.#request
    this.#waiting = callFunction(this.#options.functions, call.withId(id), (result) => this.#onResult(result))
    if (this.#socket.readableEnded) this.peerEnded()
  }

  /** Whether `done` was called. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** To be called when the visitor has ended their side of the connection, as those do who leave. */
  peerEnded(): void {
    if (!this.#isOver) this.#watch ??= watchHalfClosed(this.#socket, () => this.#askPeer())
  }

  cancel(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#watch?.stop()
    this.#body?.destroy()
    this.#waiting?.cancel()
    this.#tell(this.#sent.status, this.#sent.bytes, this.#sent.source)
  }

  #askPeer(): boolean {
    if (this.#body !== undefined) return false
    this.#socket.write(GO_ON, 'latin1')
    return true
  }

  #onResult(told: FunctionResponse | Refusal): void {
    if (this.#isOver) return
    if ('code' in told) {
      this.#onRefusal(told)
      return
    }
    this.#isCold = told.isCold === true
    const known = rendered.get(told.headers)
    if (known !== undefined && Buffer.isBuffer(told.body) && this.#isLike(known)) {
      this.#sendKnown(known, told.body)
      return
    }
    // What is lent is copied before anything is made of it.
    this.#answer(Buffer.isBuffer(told.body) ? { ...told, body: Buffer.from(told.body) } : told)
  }

  #answer(result: FunctionResponse): void {
    const { entry, outcome, block } = this.#request
    // The next who ask for it come the way on which answers are kept.
    if (policyOfCopy(result.status, result.headers) !== undefined)
      this.#options.functions.cached?.note(entry.site, outcome.target.path)
    // What was read of a head does not say whose it is: the same is sent by many.
    const question = { ...block.question, from: this.#options.from }
    const answer = toAnswer(entry.site, outcome, result, { question })
    if (answer instanceof Promise)
      answer.then(
        (ready) => this.#send(ready),
        () => this.#socket.destroy(),
      )
    else {
      this.#remember(result, answer)
      this.#send(answer)
    }
  }

  /**
   * An answer whose head an instance has sent before, on the same connection, becomes the same head as then, if it is for
   * a visitor who accepts the same. With its length it says all that matters of the body.
   */
  #remember({ headers, body }: FunctionResponse, answer: Answer): void {
    const { entry, outcome, block } = this.#request
    if (!Buffer.isBuffer(body) || answer.body !== body || valueIn(headers, 'content-length') === undefined)
      return
    const { status, source } = answer
    // What was asked with a query is another outcome each time.
    const isOne = outcome.asked.query !== '' || status === 204 || status === 304
    if (isOne || policyOf(status, headers) !== undefined) return
    const lines = headerLines(ownCookies(answer.headers, entry.site))
    rendered.set(headers, { outcome, accepted: acceptedBy(block), status, source, lines, wire: undefined })
  }

  #isLike({ outcome, accepted }: Rendered): boolean {
    return outcome === this.#request.outcome && accepted === acceptedBy(this.#request.block)
  }

  #sendKnown(known: Rendered, body: Buffer): void {
    const { status, source } = known
    const { id } = this.#request
    const { headEnd } = this.#options
    const date = this.#options.date()
    if (body.length > MAX_JOINED_BYTES) {
      this.#sendWhole(stampedHead(statusLine(status), date, id) + known.lines + headEnd, Buffer.from(body))
    } else {
      if (known.wire?.bodyLength === body.length) known.wire.renew(date, id, body)
      else known.wire = new Wire(stampedHead(statusLine(status), date, id), date, known.lines + headEnd, body)
      // What has not gone out at once is still being read from: the next visitor gets another buffer.
      if (!writeDirectly(this.#socket, known.wire.bytes)) known.wire = undefined
    }
    this.#end(status, body.length, source)
  }

  #onRefusal(refusal: Refusal): void {
    const { code, headers } = refusal
    const { entry, block, call, id } = this.#request
    // The site may have a page of its own for it.
    if (entry.table.output !== undefined && code !== 'FUNCTION_INVOCATION_TIMEOUT') {
      this.#options.functions.refused.put(this.#socket, call.program, refusal)
      this.#isOver = true
      this.#watch?.stop()
      this.#done(this.#request, 'again')
      return
    }
    const own = [...siteHeaders(entry.site), ...headers]
    const answer = errorAnswer(code, id, block.question, own)
    this.#reason = reasonOf(refusal, answer.status)
    this.#send(answer)
  }

  #send(answer: Answer): void {
    const { status, body, source } = this.#options.streams.watch(answer)
    const headers = ownCookies(answer.headers, this.#request.entry.site)
    if (this.#isOver) {
      dropBody({ body })
      return
    }
    const { date, headEnd } = this.#options
    let head = stampedHead(statusLine(status), date(), this.#request.id) + headerLines(headers)
    const hasLength = valueIn(headers, 'content-length') !== undefined
    if (body === undefined || status === 204 || status === 304) {
      if (!hasLength && status >= 200 && status !== 204 && status !== 304) head += 'content-length: 0\r\n'
      this.#socket.write(head + headEnd, 'latin1')
      if (body !== undefined && !Buffer.isBuffer(body)) body.resume()
      this.#end(status, 0, source)
    } else if (Buffer.isBuffer(body)) {
      if (!hasLength) head += `content-length: ${body.length}\r\n`
      this.#sendWhole(head + headEnd, body)
      this.#end(status, body.length, source)
    } else {
      this.#socket.write(`${head}${hasLength ? '' : 'transfer-encoding: chunked\r\n'}${headEnd}`, 'latin1')
      this.#stream(body, !hasLength, { status, source })
    }
  }

  #sendWhole(head: string, body: Buffer): void {
    const socket = this.#socket
    if (body.length <= MAX_JOINED_BYTES) {
      socket.write(head + body.toString('latin1'), 'latin1')
      return
    }
    socket.cork()
    socket.write(head, 'latin1')
    socket.write(body)
    socket.uncork()
  }

  #stream(body: Readable, isChunked: boolean, answer: Pick<Answer, 'status' | 'source'>): void {
    const socket = this.#socket
    const { status, source } = answer
    let bytes = 0
    const written = afterWrite(body)
    const rest = oneATurn(body, () => !socket.writableNeedDrain)
    const onDrain = () => body.resume()
    this.#body = body
    this.#sent = { status, bytes, source }
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      this.#sent = { status, bytes, source }
      const onWritten = written(chunk)
      if (isChunked ? writeChunk(socket, chunk, onWritten) : socket.write(chunk, onWritten)) rest(chunk)
      else body.pause()
    })
    socket.on('drain', onDrain)
    body.once('close', () => socket.off('drain', onDrain))
    body.once('end', () => {
      if (isChunked) endChunks(socket)
      this.#end(status, bytes, source)
    })
    // A visitor must not take a part for the whole.
    body.once('error', () => socket.destroy())
  }

  #end(status: number, bytes: number, source: SentAnswer['source']): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#watch?.stop()
    this.#tell(status, bytes, source)
  }

  #tell(status: number, bytes: number, source: SentAnswer['source']): void {
    this.#done(this.#request, { status, bytes, source, coldStart: this.#isCold, reason: this.#reason })
  }
}

/** What became of the head of an answer, by the headers as they came from the instance. */
interface Rendered extends Pick<Answer, 'status' | 'source'> {
  readonly outcome: FunctionOutcome
  readonly accepted: string | undefined
  readonly lines: string
  /** Head and a body, once one was sent: the length of the body is said in the head, so each is as long. */
  wire: Wire | undefined
}

const rendered = new WeakMap<FunctionResponse['headers'], Rendered>()

const acceptedBy = ({ question }: HeaderBlock): string | undefined => headerOf(question, 'accept-encoding')

/** Up to here, a copy costs less than a second piece. */
const MAX_JOINED_BYTES = 16 * 1024
