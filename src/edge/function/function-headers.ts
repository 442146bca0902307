import type { IncomingHttpHeaders } from 'node:http'
import type { RouteHeaders } from '#core/routing/match/route-outcome.ts'
import { encodeRawText } from '#core/routing/url/request-path.ts'
import { withoutVisitorCookie } from '../protection/visitor-cookie.ts'
import { HOP_BY_HOP, type Visitor } from '../proxy/proxy-headers.ts'
import type { AnyRequest } from '../request/message.ts'
import { bodyOf } from '../request/request-body.ts'

/** What a function is told of a request besides what the visitor sent. */
export interface FunctionRequest {
  readonly method: string
  /** Path and query, as the function sees them. */
  readonly url: string
  readonly visitor: Visitor
  /** The path of the function, with a leading slash. */
  readonly matchedPath: string
  readonly deploymentHost: string
  /** Over those of the visitor, by lower-case name; undefined takes one away. */
  readonly extra?: ReadonlyMap<string, string | undefined> | undefined
}

/** They belong to one connection, or are said anew here. */
const NOT_SENT: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'content-length',
  'expect',
  'forwarded',
  'host',
  'x-invocation-id',
  'x-matched-path',
  'x-real-ip',
])

/** What only the platform says: from a visitor it would be a lie that the function believes. */
const RESERVED = /^(?:x-(?:aloft|vercel|platform|forwarded|now|invoke|middleware)-.*|:.*)$/
/** Sent by the client side of a framework, and no more than a hint. */
const HINTS = new Set(['x-middleware-prefetch'])

/** Visitors send few different names; whether they pass is worked out once. */
const MAX_KNOWN = 2000
const known = new Map<string, boolean>()

/** Whether a header that a visitor sends reaches a function. */
export function isForwarded(sent: string): boolean {
  let answer = known.get(sent)
  if (answer === undefined) {
    const name = sent.toLowerCase()
    answer = !NOT_SENT.has(name) && (!RESERVED.test(name) || HINTS.has(name))
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(sent, answer)
  }
  return answer
}

export interface HeadOptions {
  /** The protocols to change to. */
  readonly upgrade?: string | undefined
  /** What is sent of the visitor's body; by default all. */
  readonly body?: ReturnType<typeof bodyOf>
}

/** The head of the request to an instance on behalf of a visitor, one character a byte. */
export function functionHead(
  req: AnyRequest,
  request: FunctionRequest,
  { upgrade, body = bodyOf(req) }: HeadOptions = {},
): string {
  const { extra } = request
  const named = namesIn(req.headers.connection)
  let head = ownHead(request)
  const add = (name: string, value: string): void => {
    if (
      isForwarded(name) &&
      named?.has(name.toLowerCase()) !== true &&
      extra?.has(name.toLowerCase()) !== true
    )
      head += `${name}: ${value}\r\n`
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
  return `${head}${extraLines(extra)}${upgrade === undefined ? framingOf(req, body) : `connection: Upgrade\r\nupgrade: ${upgrade}\r\n`}\r\n`
}

/** The same for a request without a body, the headers of which are lines already; see `forwardedLines`. */
export function functionHeadOf(request: FunctionRequest, lines: string): string {
  const { extra } = request
  const kept = extra === undefined ? lines : withoutNames(lines, extra)
  return `${ownHead(request)}${kept}${extraLines(extra)}connection: keep-alive\r\n\r\n`
}

const LINE = /([^:\r\n]+):([^\r\n]*)\r\n/g

/** Those of a visitor's lines of headers that reach a function. */
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

/** The head of a request that the platform makes by itself, with nothing of any visitor's in it. */
export const platformHead = (request: FunctionRequest): string =>
  `${ownHead(request)}${extraLines(request.extra)}connection: keep-alive\r\n\r\n`

function ownHead({ method, url, visitor, matchedPath, deploymentHost }: FunctionRequest): string {
  const { ip, host, scheme, port, requestId } = visitor
  const authority = toBytes(host)
  return (
    `${method} ${encodeTarget(url)} HTTP/1.1\r\n` +
    `host: ${authority}\r\n` +
    `x-aloft-request-id: ${requestId}\r\n` +
    `x-vercel-id: ${requestId}\r\n` +
    // Next.js keeps what it rendered for the same invocation, and for ten seconds where none is told.
    `x-invocation-id: ${requestId}\r\n` +
    `x-forwarded-for: ${ip}\r\n` +
    `x-forwarded-host: ${authority}\r\n` +
    `x-forwarded-proto: ${scheme}\r\n` +
    (port === undefined ? '' : `x-forwarded-port: ${port}\r\n`) +
    `x-real-ip: ${ip}\r\n` +
    `x-matched-path: ${encodeTarget(matchedPath)}\r\n` +
    `x-vercel-deployment-url: ${deploymentHost}\r\n` +
    `forwarded: for=${ip.includes(':') ? `"[${ip}]"` : ip};host="${authority}";proto=${scheme}\r\n`
  )
}

function extraLines(extra: FunctionRequest['extra']): string {
  let lines = ''
  if (extra !== undefined)
    for (const [name, value] of extra) if (value !== undefined) lines += `${name}: ${toBytes(value)}\r\n`
  return lines
}

function framingOf(req: AnyRequest, body: ReturnType<typeof bodyOf>): string {
  switch (body) {
    case 'none':
      // Where the visitor said that there is a body of no bytes, the function is told the same.
      return req.headers['content-length'] === '0'
        ? 'content-length: 0\r\nconnection: keep-alive\r\n'
        : 'connection: keep-alive\r\n'
    case 'known-length':
      return `content-length: ${req.headers['content-length']}\r\nconnection: keep-alive\r\n`
    case 'unknown-length':
      return 'transfer-encoding: chunked\r\nconnection: keep-alive\r\n'
  }
}

const TARGET = /^[\x21-\x7e]+$/
const encodeTarget = (target: string): string => (TARGET.test(target) ? target : encodeRawText(target))

const BYTES = /^[\t\x20-\x7e\x80-\xff]*$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/g

/** Text that can stand in a header: what is cut to bytes must not become a line break. */
const toBytes = (value: string): string =>
  BYTES.test(value) ? value : Buffer.from(value.replace(CONTROL, '')).toString('latin1')

function namesIn(connection: IncomingHttpHeaders['connection']): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()))
}

/** Headers of an instance's answer that do not go further. */
const NOT_PASSED =
  /^(?:connection|date|http2-settings|keep-alive|proxy-(?:authenticate|connection)|te|trailer|transfer-encoding|upgrade|x-(?:platform|aloft|middleware)-.*)$/
const passed = new Map<string, boolean>()

function isPassed(name: string): boolean {
  let answer = passed.get(name)
  if (answer === undefined) {
    answer = !NOT_PASSED.test(name)
    if (passed.size >= MAX_KNOWN) passed.clear()
    passed.set(name, answer)
  }
  return answer
}

const EMPTY: ReadonlySet<string> = new Set()

/**
 * What a visitor gets of an answer's headers, names and values in turn. Those of the routes fill in what the
 * function did not say, and `own` are over both.
 */
export function visitorHeaders(
  sent: readonly string[],
  routes: RouteHeaders,
  own: readonly string[],
): string[] {
  const headers: string[] = []
  let named: ReadonlySet<string> = EMPTY
  for (let i = 0; i < sent.length; i += 2)
    if (sent[i] === 'connection') named = namesIn((sent[i + 1] as string).toLowerCase()) ?? named
  for (let i = 0; i < sent.length; i += 2) {
    const name = sent[i] as string
    if (isPassed(name) && !named.has(name) && !isNamed(own, name)) headers.push(name, sent[i + 1] as string)
  }
  for (const [name, value] of routes)
    if (isPassed(name) && name !== 'content-length' && !isNamed(headers, name) && !isNamed(own, name))
      headers.push(name, value)
  headers.push(...own)
  return headers
}

function isNamed(headers: readonly string[], name: string): boolean {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return true
  return false
}

/** The value of a header in a list of names and values in turn. */
export function valueIn(headers: readonly (string | readonly string[])[], name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === name) {
      const value = headers[i + 1] as string | readonly string[]
      return typeof value === 'string' ? value : value.join(', ')
    }
  return undefined
}
