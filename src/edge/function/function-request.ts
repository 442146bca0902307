/**
 * What a function is sent: which of a visitor's headers reach it, and what the platform says besides. Every request to a
 * function is put together here, whoever asks.
 */

import { Readable } from 'node:stream'
import { markUnshared } from '#core/chunks.ts'
import { namedByConnection } from '#core/connection-headers.ts'
import type { AnyRequest } from '#core/http-message.ts'
import type { ProgramRef } from '#core/ports/runner.ts'
import { remembering } from '#core/remembering.ts'
import type { RouteOutcome } from '#core/routing/match/route-outcome.ts'
import { encodePath, encodeRawText } from '#core/routing/url/request-path.ts'
import type { Site, SiteFunction } from '#core/site/site.ts'
import { type Exchange, visitorOf } from '../exchange.ts'
import { withoutVisitorCookie } from '../protection/visitor-cookie.ts'
import { HOP_BY_HOP, type Visitor } from '../proxy/proxy-headers.ts'
import { bodyOf, framingOf } from '../request/request-body.ts'
import { writeCount } from '../request/request-id.ts'
import type { Target } from '../request/request-path.ts'
import { OutgoingBody } from '../upstream/outgoing-body.ts'
import { extraHeaders } from './header-transform.ts'

/** One request to a program. */
export interface FunctionCall {
  readonly program: ProgramRef
  readonly requestId: string
  readonly method: string
  /** All that goes before the body, one character a byte; bytes are those of a `PreparedCall`. */
  readonly head: string | Buffer
  /** To be called when such bytes have not gone out at once. */
  letGo?(): void
  /** Whether who asks takes an answer whose body is where the next read will be, and copies what it wants of it later. */
  readonly takesLent?: boolean
  readonly body: OutgoingBody | undefined
  /** Requests with the same text go to the same instance. */
  readonly affinity: string | undefined
  /** Only this instance may answer. */
  readonly instance: string | undefined
  /** Where it should run. */
  readonly regions: readonly string[] | undefined
  /** Until the answer begins, and until it ends. */
  readonly limitMs: number
  /** Whether the instance may change the protocol; there is then no limit to how long that is spoken. */
  readonly mayUpgrade: boolean
}

/** A function that the routes led to. */
export interface FunctionOutcome
  extends Omit<Extract<RouteOutcome<SiteFunction>, { kind: 'serve' }>, 'kind'> {
  readonly kind: 'function'
  /** What the visitor asked for. */
  readonly asked: Target
  /** What middlewares want of the request's headers, by lower-case name; undefined takes one away. */
  readonly overrides?: ReadonlyMap<string, string | undefined>
  /** Whether it is asked for the page of an error: the body of the request is not for it. */
  readonly isPage?: boolean
}

/** Headers over those of the visitor, by lower-case name; undefined takes one away. */
type Extra = ReadonlyMap<string, string | undefined>

/** The request of a visitor to the function that their route leads to. */
export function visitorCall(site: Site, outcome: FunctionOutcome, exchange: Exchange): FunctionCall {
  const { req, upgrade, question, instance } = exchange
  const body = upgrade !== undefined || outcome.isPage ? 'none' : bodyOf(req)
  const request: RequestLine = {
    method: outcome.isPage ? 'GET' : question.method,
    url: urlOf(outcome.asked, outcome.query),
    visitor: visitorOf(exchange),
  }
  const extra = extraHeaders(outcome, outcome.overrides, (name) => sentHeader(req, name))
  const ending = upgrade === undefined ? framingLines(req, body) : upgradeTo(upgrade.protocol)
  return {
    ...callOf(site, outcome.target, request, linesOf(req, extra) + extraLines(extra) + ending),
    body:
      body === 'none'
        ? undefined
        : new OutgoingBody(markUnshared(req), { isChunked: body === 'unknown-length' }),
    instance,
    mayUpgrade: upgrade !== undefined && !outcome.isPage,
  }
}

/** Asks for the rest of a page for a visitor, from a state that the platform has kept. */
export function resumingCall(
  site: Site,
  outcome: FunctionOutcome,
  exchange: Exchange,
  headers: Readonly<Record<string, string>>,
  state: Buffer,
): FunctionCall {
  const request = {
    method: 'POST',
    url: urlOf(outcome.asked, outcome.query),
    visitor: visitorOf(exchange),
  }
  const { req } = exchange
  const changed = extraHeaders(outcome, outcome.overrides, (name) => sentHeader(req, name))
  const extra = new Map([...(changed ?? []), ...Object.entries(headers)])
  const framing = `content-length: ${state.length}\r\n${KEEP_ALIVE}`
  return {
    ...callOf(site, outcome.target, request, linesOf(req, extra) + extraLines(extra) + framing),
    body: new OutgoingBody(Readable.from([state])),
  }
}

/** The request of a visitor to a middleware, which decides what becomes of it and is not sent its body. */
export function middlewareCall(
  site: Site,
  fn: SiteFunction,
  { path, query }: Pick<Target, 'path' | 'query'>,
  exchange: Exchange,
  extra: Extra,
): FunctionCall {
  const { req, question } = exchange
  const request = { method: question.method, url: urlOf({ path }, query), visitor: visitorOf(exchange) }
  return callOf(site, fn, request, linesOf(req, extra) + extraLines(extra) + framingLines(req, 'none'))
}

/** A GET that the platform makes by itself, with nothing in it that is one visitor's alone: everybody gets the answer. */
export function sharedCall(
  site: Site,
  fn: SiteFunction,
  url: string,
  visitor: Visitor,
  extra: Extra,
): FunctionCall {
  const call = callOf(site, fn, { method: 'GET', url, visitor }, extraLines(extra) + KEEP_ALIVE)
  return { ...call, affinity: undefined }
}

/**
 * A GET without a body that was read as lines already (see `forwardedLines`), ready to be sent again and again with
 * another id each time.
 */
export class PreparedCall implements FunctionCall {
  readonly program: ProgramRef
  readonly method = 'GET'
  readonly body = undefined
  readonly affinity: string | undefined
  readonly instance = undefined
  readonly regions: readonly string[] | undefined
  readonly limitMs: number
  readonly mayUpgrade = false
  readonly takesLent = true
  requestId = ''
  head: Buffer = NO_HEAD
  readonly #parts: HeadParts
  /** The head of the call before, in which the next id is put. What is still being read from must not change. */
  #last: StampedHead | undefined

  constructor(site: Site, outcome: FunctionOutcome, visitor: Omit<Visitor, 'requestId'>, lines: string) {
    const extra = extraHeaders(outcome, undefined, (name) => valueInLines(lines, name))
    const kept = extra === undefined ? lines : withoutNames(lines, extra)
    const url = urlOf(outcome.asked, outcome.query)
    const request = { method: 'GET', url, visitor: { ...visitor, requestId: '' } }
    const { program, affinity, regions, limitMs } = callOf(site, outcome.target, request, '')
    this.program = program
    this.affinity = affinity
    this.regions = regions
    this.limitMs = limitMs
    this.#parts = headParts(site, outcome.target, request, kept + extraLines(extra) + KEEP_ALIVE)
  }

  /** The next call, once the one before is over. */
  withId(id: string): FunctionCall {
    if (this.#last === undefined) this.#last = stampedHeadOf(this.#parts, id)
    else writeCount(this.#last.bytes, this.#last.idEnds, id)
    this.requestId = id
    this.head = this.#last.bytes
    return this
  }

  letGo(): void {
    this.#last = undefined
  }
}

const NO_HEAD: Buffer = Buffer.alloc(0)

interface StampedHead {
  readonly bytes: Buffer
  readonly idEnds: readonly number[]
}

function stampedHeadOf(parts: HeadParts, id: string): StampedHead {
  const head = headOf(parts, id)
  const idEnds: number[] = []
  for (let at = parts.beforeId.length; idEnds.length < ID_LINES; idEnds.push(at))
    at = head.indexOf(id, at) + id.length
  return { bytes: Buffer.from(head, 'latin1'), idEnds }
}

/** The program that a function is in. */
const programOf = (site: Site, fn: SiteFunction): ProgramRef => ({
  deploymentId: site.deploymentId,
  program: fn.program,
})

interface RequestLine {
  readonly method: string
  /** Path and query, as the function sees them. */
  readonly url: string
  readonly visitor: Visitor
}

/** `lines` are those of a visitor and how the message is framed. */
function callOf(site: Site, fn: SiteFunction, request: RequestLine, lines: string): FunctionCall {
  const { method, visitor } = request
  return {
    program: programOf(site, fn),
    requestId: visitor.requestId,
    method,
    head: headOf(headParts(site, fn, request, lines), visitor.requestId),
    body: undefined,
    affinity: site.sessionAffinity === 'ip' ? visitor.ip : undefined,
    instance: undefined,
    regions: site.regions,
    limitMs: fn.maxDuration * 1000,
    mayUpgrade: false,
  }
}

/** A head without the id of its request. */
interface HeadParts {
  readonly beforeId: string
  readonly afterId: string
}

function headParts(site: Site, fn: SiteFunction, request: RequestLine, lines: string): HeadParts {
  const { method, url, visitor } = request
  const { ip, host, scheme, port } = visitor
  const authority = toBytes(host)
  return {
    beforeId: `${method} ${encodeTarget(url)} HTTP/1.1\r\nhost: ${authority}\r\n`,
    afterId:
      `x-forwarded-for: ${ip}\r\n` +
      `x-forwarded-host: ${authority}\r\n` +
      `x-forwarded-proto: ${scheme}\r\n` +
      (port === undefined ? '' : `x-forwarded-port: ${port}\r\n`) +
      `x-real-ip: ${ip}\r\n` +
      `x-matched-path: ${encodeTarget(`/${fn.path}`)}\r\n` +
      `x-vercel-deployment-url: ${site.deploymentHost ?? site.host}\r\n` +
      `forwarded: ${forwardedOf({ ip, scheme, host: authority })}\r\n` +
      `${lines}\r\n`,
  }
}

export const forwardedOf = ({ ip, host, scheme }: Pick<Visitor, 'ip' | 'host' | 'scheme'>): string =>
  `for=${ip.includes(':') ? `"[${ip}]"` : ip};host="${host}";proto=${scheme}`

/** How often `headOf` says the id. */
const ID_LINES = 3

/** Next.js keeps what it rendered for the same invocation, and for ten seconds where none is told. */
const headOf = ({ beforeId, afterId }: HeadParts, id: string): string =>
  `${beforeId}x-aloft-request-id: ${id}\r\nx-vercel-id: ${id}\r\nx-invocation-id: ${id}\r\n${afterId}`

/** A head with one more line, which is known only when it is sent. */
export function withLine(head: string | Buffer, line: string): string | Buffer {
  if (line === '') return head
  const text = head.toString('latin1')
  const end = text.indexOf('\r\n') + 2
  return `${text.slice(0, end)}${line}${text.slice(end)}`
}

/** The visitor's path in the one spelling that the routes have judged, with the query that they made of his. */
export const urlOf = ({ path }: Pick<Target, 'path'>, query: string): string =>
  query === '' ? encodePath(path) : `${encodePath(path)}?${query}`

/** They belong to one connection, or are said anew here. */
const NOT_SENT: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'content-length',
  'expect',
  'forwarded',
  'host',
  // What it goes on from comes from the platform alone.
  'next-resume',
  'x-invocation-id',
  'x-matched-path',
  'x-real-ip',
])

/** What only the platform says: from a visitor it would be a lie that the function believes. */
const RESERVED = /^(?:x-(?:aloft|vercel|platform|forwarded|now|invoke|middleware)-.*|:.*)$/
/** Sent by the client side of a framework, and no more than a hint. */
const HINTS = new Set(['x-middleware-prefetch'])

/** Whether only the platform says something by a header of this name, in lower case. */
export const isReserved = (name: string): boolean => RESERVED.test(name) && !HINTS.has(name)

/** Whether a header that a visitor sends reaches a function. Visitors send few different names. */
export const isForwarded = remembering(
  (sent) => {
    const name = sent.toLowerCase()
    return !NOT_SENT.has(name) && !isReserved(name)
  },
  { most: 2000, longest: 64 },
)

/** Those of a visitor's headers that reach a function, and that nobody has something else to say for. */
function linesOf(req: AnyRequest, extra: Extra | undefined): string {
  const named = namedByConnection(req.headers.connection)
  let lines = ''
  const add = (name: string, value: string): void => {
    if (
      isForwarded(name) &&
      named?.has(name.toLowerCase()) !== true &&
      extra?.has(name.toLowerCase()) !== true
    )
      lines += `${name}: ${value}\r\n`
  }
  if ('stream' in req) {
    for (const [name, value] of Object.entries(req.headers))
      if (typeof value === 'string') add(name, toBytes(value))
      else for (const one of value ?? []) add(name, toBytes(one))
  } else {
    const { rawHeaders } = req
    for (let i = 0; i + 1 < rawHeaders.length; i += 2)
      add(rawHeaders[i] as string, rawHeaders[i + 1] as string)
  }
  return lines
}

/** A header of a visitor that reaches functions, in one text. */
export function sentHeader(req: AnyRequest, name: string): string | undefined {
  if (!isForwarded(name) || namedByConnection(req.headers.connection)?.has(name)) return undefined
  const value = req.headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}

/**
 * Whether middlewares and rules make a request another one than the visitor has sent: its answer may be for what they have put there. A
 * middleware of Next.js that changes one header says all others once more.
 */
export function isChangedRequest(
  outcome: Pick<FunctionOutcome, 'transforms' | 'overrides'>,
  req: AnyRequest,
): boolean {
  const sent = (name: string) => sentHeader(req, name)
  for (const [name, value] of extraHeaders(outcome, outcome.overrides, sent) ?? [])
    if (value !== sent(name) || !isForwarded(name)) return true
  return false
}

const LINE = /([^:\r\n]+):([^\r\n]*)\r\n/g

function valueInLines(lines: string, wanted: string): string | undefined {
  const values = [...lines.matchAll(LINE)]
    .filter(([, name = '']) => name.toLowerCase() === wanted)
    .map(([, , value = '']) => value.trim())
  return values.length === 0 ? undefined : values.join(wanted === 'cookie' ? '; ' : ', ')
}

/** The same of headers that are lines already; without the cookie of a protection, which is not the function's. */
export function forwardedLines(text: string): string {
  let lines = ''
  for (const [, name = '', value = ''] of text.matchAll(LINE))
    if (isForwarded(name)) lines += lineOf(name, value.trim())
  return lines
}

function lineOf(name: string, value: string): string {
  const kept = name.toLowerCase() === 'cookie' ? withoutVisitorCookie(value) : value
  return kept === undefined ? '' : `${name}: ${kept}\r\n`
}

const withoutNames = (lines: string, names: ReadonlyMap<string, unknown>): string =>
  lines.replace(LINE, (line, name: string) => (names.has(name.toLowerCase()) ? '' : line))

function extraLines(extra: Extra | undefined): string {
  let lines = ''
  if (extra !== undefined)
    for (const [name, value] of extra) if (value !== undefined) lines += `${name}: ${toBytes(value)}\r\n`
  return lines
}

const KEEP_ALIVE = 'connection: keep-alive\r\n'

const upgradeTo = (protocol: string): string => `connection: Upgrade\r\nupgrade: ${protocol}\r\n`

function framingLines(req: AnyRequest, body: ReturnType<typeof bodyOf>): string {
  const framing = framingOf(req, body)
  if (framing !== undefined) return `${framing[0]}: ${framing[1]}\r\n${KEEP_ALIVE}`
  // Where the visitor said that there is a body of no bytes, the function is told the same.
  return req.headers['content-length'] === '0' ? `content-length: 0\r\n${KEEP_ALIVE}` : KEEP_ALIVE
}

const TARGET = /^[\x21-\x7e]+$/
const encodeTarget = (target: string): string => (TARGET.test(target) ? target : encodeRawText(target))

const BYTES = /^[\t\x20-\x7e\x80-\xff]*$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/g

/** Text that can stand in a header: what is cut to bytes must not become a line break. */
const toBytes = (value: string): string =>
  BYTES.test(value) ? value : Buffer.from(value.replace(CONTROL, '')).toString('latin1')
