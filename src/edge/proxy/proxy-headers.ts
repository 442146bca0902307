import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { CONNECTION_HEADERS, namedByConnection } from '#core/connection-headers.ts'
import type { RouteHeaders } from '#core/routing/match/route-outcome.ts'
import type { HeaderList } from '../answer.ts'

/** Whom a request is forwarded for. */
export interface Visitor {
  readonly ip: string
  readonly host: string
  readonly scheme: 'http' | 'https'
  readonly port: number | undefined
  readonly requestId: string
}

/** Headers that routes and middlewares put over those of a visitor, by lower-case name; undefined takes one away. */
export type ExtraHeaders = ReadonlyMap<string, string | undefined>

/** They belong to one connection and never to the next. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...CONNECTION_HEADERS,
  ...['http2-settings', 'proxy-authenticate', 'proxy-authorization'],
])

/** What we say ourselves; from a client it would be a lie that the upstream believes, or that hides how long a body is. */
const REPLACED = new Set(['host', 'content-length', 'expect', 'forwarded', 'x-real-ip', 'via'])

const VIA = '1.1 aloft'
/** A request that came by more often than this goes round in circles. */
const MAX_VISITS = 8

/** What is between the visitor and us, by our names and by those of other platforms. */
const isOwn = (name: string): boolean => name.startsWith('x-platform-') || OTHERS.has(name)
const OTHERS: ReadonlySet<string> = new Set([
  'x-vercel-error',
  'x-vercel-id',
  'x-vercel-protection-bypass',
  'x-vercel-set-bypass-cookie',
])

/**
 * Without what says how long the body is; `extra` is over what the visitor sent. Undefined when the request has been through here
 * too often.
 */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  visitor: Visitor,
  targetHost: string,
  extra: ExtraHeaders | undefined,
): OutgoingHttpHeaders | undefined {
  const { via } = headers
  if (countOwn(via) >= MAX_VISITS) return undefined
  const named = namedByConnection(headers.connection)
  const sent: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':') || HOP_BY_HOP.has(name) || named?.has(name)) continue
    if (REPLACED.has(name) || name.startsWith('x-forwarded-') || isOwn(name) || extra?.has(name)) continue
    sent[name] = value
  }
  for (const [name, value] of extra ?? [])
    if (value !== undefined && !HOP_BY_HOP.has(name) && !REPLACED.has(name)) sent[name] = value
  return {
    ...sent,
    host: targetHost,
    via: via === undefined ? VIA : `${via}, ${VIA}`,
    'x-forwarded-for': visitor.ip,
    'x-forwarded-host': visitor.host,
    'x-forwarded-proto': visitor.scheme,
    ...(visitor.port !== undefined && { 'x-forwarded-port': String(visitor.port) }),
    'x-real-ip': visitor.ip,
    'x-platform-id': visitor.requestId,
    'x-vercel-id': visitor.requestId,
  }
}

/** The upstream's headers as the visitor gets them, those of the routes over them, and `own` over both. */
export function responseHeaders(
  rawHeaders: readonly string[],
  routes: RouteHeaders,
  own: readonly string[],
): HeaderList {
  const headers = new Map<string, string[]>()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    const values = headers.get(name)
    if (values) values.push(rawHeaders[i + 1] as string)
    else headers.set(name, [rawHeaders[i + 1] as string])
  }
  const named = namedByConnection(headers.get('connection')?.join(','))
  for (const name of [...headers.keys()])
    if (HOP_BY_HOP.has(name) || named?.has(name) || name === 'date' || isOwn(name)) headers.delete(name)
  for (const [name, value] of routes) headers.set(name, [value])
  for (let i = 0; i + 1 < own.length; i += 2) headers.set(own[i] as string, [own[i + 1] as string])
  return [...headers].flatMap(([name, values]) => [
    name,
    values.length === 1 ? (values[0] as string) : values,
  ])
}

/** Headers of an upstream that are a visitor's but for those that the routes say to them, which are over these and not over `own`. */
export function replacedIn(headers: HeaderList, routes: RouteHeaders, own: readonly string[]): HeaderList {
  if (routes.size === 0) return headers
  const ours = new Set(own.filter((_, index) => index % 2 === 0))
  const over = [...routes].filter(([name]) => !ours.has(name))
  const names = new Set(over.map(([name]) => name))
  return [...headers.filter((_, index) => !names.has(headers[index - (index % 2)] as string)), ...over.flat()]
}

const countOwn = (via: string | undefined): number =>
  via?.split(',').filter((step) => step.trim() === VIA).length ?? 0
