import { constants, type Http2ServerResponse, type OutgoingHttpHeaders } from 'node:http2'
import type { Readable } from 'node:stream'
import { PIECE_BYTES, piecesOf, pourWhole } from '#core/chunks.ts'
import { type AnyRequest, type AnyResponse, isHttp2 } from '#core/http-message.ts'
import type { Log } from '#core/ports/log.ts'
import type { Answer, HeaderList } from './answer.ts'
import { dropBody } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { bodyOf } from './request/request-body.ts'
import { stampHeaders } from './stamp.ts'
import type { VisitorMemory } from './visitor-memory.ts'

/** How much of an answer's body was taken by the connection, once the answer is over. */
export type BytesSent = () => number

/** What every answer carries. */
export interface Stamp {
  readonly id: string
  readonly date: string
}

const MAX_JOINED_BYTES = 16 * 1024

/** Encrypted or in frames, what is written is a copy for each visitor until they have taken it. */
const isCopied = (req: AnyRequest, res: AnyResponse): boolean => isHttp2(res) || 'encrypted' in req.socket

interface RespondParts {
  readonly memory: VisitorMemory
  readonly log: Log
}

/** Sends an answer. The body goes out at the pace at which the visitor takes it. */
export function respond(
  { req, res, ip }: Pick<Exchange, 'req' | 'res' | 'ip'>,
  answer: Answer,
  stamp: Stamp,
  { memory, log }: RespondParts,
): BytesSent {
  const { status, body, source } = answer
  const headers = [...stampHeaders(stamp.date, stamp.id), ...answer.headers]
  if (isGone(res)) {
    dropBody(answer)
    return NOTHING
  }
  if (isHttp2(res)) {
    res.writeHead(status, toObject(headers))
  } else {
    // What is left of the request would have to be read before the next one can be.
    if (source === 'error' && bodyOf(req) !== 'none' && !req.complete) headers.push('connection', 'close')
    res.writeHead(status, headers as string[])
  }
  if (body === undefined || req.method === 'HEAD' || status === 204 || status === 304) {
    if (body !== undefined && !Buffer.isBuffer(body)) body.resume()
    res.end()
    return NOTHING
  }
  if (Buffer.isBuffer(body)) {
    // As text, node:http sends it in one piece with the head.
    if (body.length <= MAX_JOINED_BYTES && !isHttp2(res)) res.end(body.toString('latin1'), 'latin1')
    else if (body.length > PIECE_BYTES && isCopied(req, res)) return stream(piecesOf(body), res, log)
    else res.end(body)
    return () => body.length
  }
  // A function that has begun to answer may be long in going on.
  const isSlow = (source === 'function' || source === 'server') && body.readableLength === 0
  if (isSlow && !isHttp2(res)) res.flushHeaders()
  if (isHttp2(res)) watchUnsent(body, res, ip, memory)
  return stream(body, res, log)
}

/** Undoes what is left of an answer whose head could not be sent. */
export function discard(res: AnyResponse, answer: Answer): void {
  dropBody(answer)
  for (const name of res.getHeaderNames()) res.removeHeader(name)
}

function toObject(headers: HeaderList): OutgoingHttpHeaders {
  const object: Record<string, string | string[]> = {}
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string | string[]]
    const earlier = object[name]
    const all = earlier === undefined ? value : [earlier, value].flat()
    object[name] = typeof all === 'string' || all.length < 2 ? all : severalOf(name, all)
  }
  return object
}

/** node:http2 sends no answer that has one of these several times, although HTTP/1.1 lets it pass. */
const ONCE =
  /^(?:access-control-(?:allow-credentials|max-age|request-method)|age|authorization|content-(?:length|location|md5|range|type)|date|dnt|etag|expires|from|host|if-(?:match|modified-since|none-match|range|unmodified-since)|last-modified|location|max-forwards|proxy-authorization|range|referer|retry-after|tk|upgrade-insecure-requests|user-agent|x-content-type-options)$/
/** Nor these, whose values are a list that can be written as one. */
const AS_ONE = /^content-(?:encoding|language)$/

/** The first counts, as with most clients of HTTP/1.1. */
const severalOf = (name: string, values: string[]): string | string[] =>
  ONCE.test(name) ? (values[0] as string) : AS_ONE.test(name) ? values.join(', ') : values

const NOTHING: BytesSent = () => 0

/**
 * A stream that has been given more than goes out at once holds that until its end: whatever comes next takes its place. Where its
 * network has too many of these, it is ended.
 */
function watchUnsent(
  body: Readable,
  { stream }: Http2ServerResponse,
  ip: string,
  memory: VisitorMemory,
): void {
  const onPause = (): void => {
    if (!stream.writableNeedDrain) return
    body.off('pause', onPause)
    // What comes next is read ahead.
    const taken = memory.holdUnsent(ip, stream.writableLength + body.readableHighWaterMark)
    if (taken === undefined) stream.close(constants.NGHTTP2_CANCEL)
    else stream.once('close', taken)
  }
  body.on('pause', onPause)
}

function stream(body: Readable, res: AnyResponse, log: Log): BytesSent {
  let sent = 0
  body.on('data', (chunk: Buffer) => {
    sent += chunk.length
  })
  const to = isHttp2(res) ? res.stream : res
  // A visitor must not take a part for the whole.
  pourWhole(body, to, (error) => {
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      log.warn({ err: error }, 'a response was aborted')
  })
  return () => sent
}

/** Whether nobody is there any more to be answered. */
export const isGone = (res: AnyResponse): boolean => (isHttp2(res) ? res.stream.destroyed : res.destroyed)

/** Calls when the answer is over or its visitor leaves; at once where they have left, of which nothing tells again. */
export function whenOver(res: AnyResponse, then: () => void): void {
  if (isGone(res)) then()
  else res.once('close', then)
}

/** Calls when nobody wants an answer any more: its visitor has left, or it is for everybody and was given up. */
export function whenUnwanted({ res, forAll }: Pick<Exchange, 'res' | 'forAll'>, then: () => void): void {
  if (forAll === undefined) whenOver(res, then)
  else whenAborted(forAll.signal, then)
}

/** Calls when it is aborted; at once where it has been. */
export function whenAborted(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then()
  else signal.addEventListener('abort', then, { once: true })
}
