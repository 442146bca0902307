import {
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from 'node:http'
import { senderOf } from '#core/access/sender.ts'
import { markUnshared, pour } from '#core/chunks.ts'
import type { AnyRequest, AnyResponse } from '#core/http-message.ts'
import { leavesMuchUnread } from '#core/unread-body.ts'
import { HOP_BY_HOP } from '#edge/proxy/proxy-headers.ts'
import { bodyOf } from '#edge/request/request-body.ts'
import type { Handle } from '#listener/listener-request.ts'
import { ForwardAgent } from './forward-agent.ts'
import { holdBack } from './hold-back.ts'
import { Refusals } from './refusals.ts'
import { VISITOR, type Visitor } from './visitor.ts'

/** What is about one connection, not about the request. */
const HOP = new Set([...HOP_BY_HOP, 'expect', VISITOR])

interface ForwardParts {
  readonly local: Handle
  /** Where the working process takes such requests. */
  readonly socket: () => string
  readonly isElsewhere: (req: AnyRequest) => boolean
  /** Called with every request that goes there. */
  readonly onForward: () => void
  /** Called with every request that is answered here. */
  readonly onLocal?: (req: AnyRequest) => void
  /** Called with every request that is refused here like the one before, which was refused there. */
  readonly onRefused?: (req: AnyRequest) => void
  /** Has such a refusal sent later. Returns what prevents it. */
  readonly later?: (send: () => void) => () => void
}

/** Answers requests of the API here, or has the working process answer them. Where there is none, all of them here. */
export function createForward({
  local,
  socket,
  isElsewhere,
  onForward,
  onLocal,
  onRefused,
  later = holdBack(),
}: ForwardParts): Handle {
  const refusals = new Refusals()
  const agent = new ForwardAgent()
  return (req, res) => {
    if (!isElsewhere(req)) {
      onLocal?.(req)
      return local(req, res)
    }
    const refused = refusals.find(req)
    if (refused === undefined) {
      onForward()
      const to = { agent, socketPath: socket(), refusals }
      return forward(req, res, to, () => local(req, res))
    }
    onRefused?.(req)
    const prevent = later(() => {
      begin(res, 429, { ...refused.headers, ...lastIfUnread(req) })
      ;(res as NodeJS.WritableStream).end(refused.body)
    })
    return void res.once('close', prevent)
  }
}

interface To {
  readonly agent: Agent
  readonly socketPath: string
  readonly refusals: Refusals
}

function forward(
  req: AnyRequest,
  res: AnyResponse,
  { agent, socketPath, refusals }: To,
  onAbsent: () => void,
): void {
  let [isConnected, isAnswered, isGone, isLast] = [false, false, false, false]
  const asked = request({
    ...{ socketPath, method: req.method, path: req.url, agent },
    headers: requestHeaders(req),
  })
  let stop = () => {}
  const connected = () => {
    isConnected = true
    stop = pour(markUnshared(req), asked)
  }
  // Nothing of the body is taken before there is somebody to give it to.
  asked.once('socket', (connection) =>
    connection.connecting ? connection.once('connect', connected) : connected(),
  )
  asked.once('response', (answer) => {
    isAnswered = true
    const headers = { ...withoutHop(answer.headers), ...lastIfUnread(req) }
    isLast = headers.connection === 'close'
    begin(res, answer.statusCode ?? 500, headers)
    answer.once('error', () => breakOff(req, res))
    if (answer.statusCode === 429) noteRefusal(refusals, req, headers, answer)
    else markUnshared(answer)
    pour(answer, res)
  })
  asked.on('error', () => {
    // Whoever asked has left, and nobody is to answer instead.
    if (isGone) return
    // A connection that was kept may have ended with its process just as it was used again.
    const isLost = asked.reusedSocket && !isAnswered && isRepeatable(req)
    if (!isConnected || isLost) return onAbsent()
    // It may answer before it has read everything, and close.
    if (!isAnswered) unavailable(res)
  })
  asked.once('close', () => {
    if (!isConnected) return
    // What it did not want to read is nobody's, and would hold up the next request on the connection.
    stop()
    if (!isLast) req.resume()
  })
  res.once('close', () => {
    isGone = true
    asked.destroy()
  })
}

function noteRefusal(
  refusals: Refusals,
  req: AnyRequest,
  headers: OutgoingHttpHeaders,
  answer: IncomingMessage,
): void {
  const pieces: Buffer[] = []
  answer.on('data', (piece: Buffer) => pieces.push(piece))
  answer.once('end', () => refusals.note(req, { headers, body: Buffer.concat(pieces) }))
}

/** Nobody can tell whether what changes something was carried out before its connection was lost. */
const isRepeatable = (req: AnyRequest): boolean =>
  (req.method === 'GET' || req.method === 'HEAD') && bodyOf(req) === 'none'

function begin(res: AnyResponse, status: number, headers: OutgoingHttpHeaders): void {
  res.statusCode = status
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) res.setHeader(name, value)
}

function requestHeaders(req: AnyRequest): OutgoingHttpHeaders {
  const { headers } = req
  const { address, isSecure } = senderOf(req)
  const visitor: Visitor = { ip: address, secure: isSecure }
  return {
    ...withoutHop(headers),
    host: headers.host ?? (headers[':authority'] as string | undefined) ?? '',
    // Over HTTP/2 nothing says so, and node:http sends what follows a GET unframed: it would be read as a request.
    ...(bodyOf(req) === 'unknown-length' ? { 'transfer-encoding': 'chunked' } : {}),
    [VISITOR]: JSON.stringify(visitor),
  }
}

/** The connection ends with this answer where much of the request's body is still to be read. */
const lastIfUnread = (req: AnyRequest): OutgoingHttpHeaders =>
  leavesMuchUnread(req) ? { connection: 'close' } : {}

const withoutHop = (headers: IncomingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.has(name) && !name.startsWith(':')))

function unavailable(res: AnyResponse): void {
  if (res.headersSent || res.writableEnded) return
  const message = 'The process that handled this request has just stopped. Try again.'
  begin(res, 503, { 'content-type': 'application/json; charset=utf-8', 'retry-after': '1' })
  ;(res as NodeJS.WritableStream).end(JSON.stringify({ error: { code: 'service_unavailable', message } }))
}

/** Whoever reads the answer has to learn that it is not whole. */
function breakOff(req: AnyRequest, res: AnyResponse): void {
  if ('stream' in res) res.stream?.destroy()
  else req.socket.destroy()
}
