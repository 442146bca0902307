import { lookup } from 'node:dns'
import {
  type ClientRequest,
  type ClientRequestArgs,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https'
import { isIP } from 'node:net'
import { withoutBrackets } from '#contract/address-in-url.ts'
import { MINUTE } from '#contract/time.ts'
import { sourceOf } from '#core/access/network-of.ts'
import { markUnshared, pour } from '#core/chunks.ts'
import type { AnyRequest } from '#core/http-message.ts'
import type { Allows } from '#core/outbound/allowed-addresses.ts'
import { guardedLookup, type LookUpAll } from '#core/outbound/guarded-lookup.ts'
import { portOf } from '#core/outbound/port-of.ts'
import { isPublicAddress } from '#core/outbound/public-address.ts'
import type { RouteHeaders } from '#core/routing/match/route-outcome.ts'
import { withoutCaching } from '#core/routing/match/routing-state.ts'
import { createTurns, type GiveBack } from '#core/turns.ts'
import type { Answer } from '../answer.ts'
import type { EdgeErrorCode } from '../error/error-answer.ts'
import { type Refusal, refuse } from '../error/refusal.ts'
import { bodyOf, framingOf } from '../request/request-body.ts'
import { createLookups } from './lookups.ts'
import { type ExtraHeaders, requestHeaders, responseHeaders, type Visitor } from './proxy-headers.ts'

export interface ProxyOptions {
  /** Which addresses requests may be sent to; by default those of the public internet alone. */
  readonly allows?: Allows
  /** How long a connection upstream may make no progress, from before it is made until the answer's end. */
  readonly timeoutMs?: number
  /** Connections to one address at a time, of one account. */
  readonly maxSockets?: number
  /** The same for one visitor of it. */
  readonly maxOfVisitor?: number
  /** Looks names up; absent: as the system does. */
  readonly resolve?: LookUpAll
}

interface Forwarding {
  readonly req: AnyRequest
  /** Over the headers that the visitor sent. */
  readonly extra?: ExtraHeaders | undefined
  /** The account whose site sends it on. What one of them is slow with must not keep others waiting. */
  readonly ownerId: string
  /** Aborted when the visitor is gone. */
  readonly signal: AbortSignal
  readonly url: string
  readonly visitor: Visitor
  /** Over the upstream's. */
  readonly status: number | undefined
  readonly headers: RouteHeaders
  readonly siteHeaders: readonly string[]
}

export interface Proxy {
  /** Sends the request on and answers with what comes back; redirects are the visitor's to follow. */
  forward(forwarding: Forwarding): Promise<Answer | Refusal>
  close(): void
}

const TIMEOUT_MS = 2 * MINUTE
const AGENT_OPTIONS = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo' } as const
const MAX_SOCKETS = 1024
/** All who share an address count as one: an office whose pages hold event streams open has hundreds. */
const MAX_OF_VISITOR = 256

export function createProxy({
  allows = isPublicAddress,
  timeoutMs = TIMEOUT_MS,
  maxSockets = MAX_SOCKETS,
  maxOfVisitor = MAX_OF_VISITOR,
  resolve = lookup,
}: ProxyOptions): Proxy {
  const agents = {
    http: new OwnersHttpAgent({ ...AGENT_OPTIONS, maxSockets }),
    https: new OwnersHttpsAgent({ ...AGENT_OPTIONS, maxSockets }),
  }
  const lookupFor = createLookups(resolve)
  const turns = createTurns(maxOfVisitor)

  function send(target: URL, { req, ownerId, visitor, signal }: Forwarding, headers: OutgoingHttpHeaders) {
    const isSecure = target.protocol === 'https:'
    const options = {
      method: req.method ?? 'GET',
      headers,
      ownerId,
      lookup: guardedLookup(lookupFor({ ownerId, ip: visitor.ip, signal }), (resolved) =>
        allows(resolved, portOf(target)),
      ),
      timeout: timeoutMs,
      signal,
      agent: isSecure ? agents.https : agents.http,
    }
    return isSecure ? httpsRequest(target, options) : httpRequest(target, options)
  }

  return {
    async forward(forwarding) {
      const { req, url, visitor, ownerId, signal } = forwarding
      const target = URL.parse(url)
      if (target === null) return refuse('ROUTER_EXTERNAL_TARGET_ERROR')
      const address = withoutBrackets(target.hostname)
      if (isIP(address) !== 0 && !allows(address, portOf(target)))
        return refuse('DNS_HOSTNAME_RESOLVED_PRIVATE')
      const headers = requestHeaders(req.headers, visitor, target.host, forwarding.extra)
      if (headers === undefined) return refuse('INFINITE_LOOP_DETECTED')
      const framing = framingOf(req, bodyOf(req))
      if (framing !== undefined) headers[framing[0]] = framing[1]
      // Who keeps many connections busy waits for their own, for as long as for an answer.
      const ofVisitor = `${ownerId} ${target.origin} ${sourceOf(visitor.ip)}`
      let giveBack: GiveBack
      try {
        giveBack = await turns.take(ofVisitor, () =>
          AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        )
      } catch {
        return refuse('ROUTER_EXTERNAL_TARGET_TIMEOUT')
      }
      try {
        const response = await exchange(() => send(target, forwarding, headers), req, framing !== undefined)
        response.once('close', giveBack)
        const { statusCode = 502 } = response
        const isOwnError = statusCode >= 400 && forwarding.status === undefined
        const rules = isOwnError ? withoutCaching(forwarding.headers) : forwarding.headers
        return {
          status: forwarding.status ?? statusCode,
          headers: responseHeaders(response.rawHeaders, rules, forwarding.siteHeaders),
          body: markUnshared(response),
          source: 'proxy',
          entrypoint: url,
        }
      } catch (error) {
        giveBack()
        return refuse(codeOf(error as NodeJS.ErrnoException))
      }
    },
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/** By which connections are kept and counted. */
const nameFor = (name: string, options: object | undefined): string =>
  `${options !== undefined && 'ownerId' in options ? options.ownerId : ''} ${name}`

class OwnersHttpAgent extends HttpAgent {
  override getName(options?: ClientRequestArgs): string {
    return nameFor(super.getName(options), options)
  }
}

class OwnersHttpsAgent extends HttpsAgent {
  override getName(options?: RequestOptions): string {
    return nameFor(super.getName(options), options)
  }
}

/** Once more where nothing can have happened yet: the upstream closed a connection that we took for alive. */
async function exchange(
  send: () => ClientRequest,
  req: AnyRequest,
  hasBody: boolean,
): Promise<IncomingMessage> {
  const first = send()
  try {
    return await answerTo(first, req, hasBody)
  } catch (error) {
    const isSafe = !hasBody && (req.method === 'GET' || req.method === 'HEAD')
    if (!isSafe || !first.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
    return answerTo(send(), req, hasBody)
  }
}

function answerTo(upstream: ClientRequest, req: AnyRequest, hasBody: boolean): Promise<IncomingMessage> {
  return new Promise((resolvePromise, reject) => {
    let stop = () => {}
    let response: IncomingMessage | undefined
    upstream.on('response', (incoming) => {
      response = incoming
      resolvePromise(incoming)
    })
    upstream.on('timeout', () => {
      const error = new TimeoutError()
      // With the answer under way, its reader is told; what there is of it cannot be taken back.
      if (response) response.destroy(error)
      else upstream.destroy(error)
    })
    upstream.on('error', (error) => {
      stop()
      // What is left of the body has no taker.
      if (hasBody) req.resume()
      reject(error)
    })
    if (hasBody) stop = pour(markUnshared(req), upstream)
    else upstream.end()
  })
}

class TimeoutError extends Error {
  readonly code = 'ETIMEDOUT'
}

const BY_CODE: Readonly<Record<string, EdgeErrorCode>> = {
  EPRIVATE: 'DNS_HOSTNAME_RESOLVED_PRIVATE',
  ENOTFOUND: 'DNS_HOSTNAME_RESOLVE_FAILED',
  EAI_AGAIN: 'DNS_HOSTNAME_RESOLVE_FAILED',
  ENODATA: 'DNS_HOSTNAME_RESOLVE_FAILED',
  ETIMEDOUT: 'ROUTER_EXTERNAL_TARGET_TIMEOUT',
  ECONNREFUSED: 'ROUTER_EXTERNAL_TARGET_CONNECTION_ERROR',
  ECONNRESET: 'ROUTER_EXTERNAL_TARGET_CONNECTION_ERROR',
  EHOSTUNREACH: 'ROUTER_EXTERNAL_TARGET_CONNECTION_ERROR',
  ENETUNREACH: 'ROUTER_EXTERNAL_TARGET_CONNECTION_ERROR',
  EPIPE: 'ROUTER_EXTERNAL_TARGET_CONNECTION_ERROR',
  EPROTO: 'ROUTER_EXTERNAL_TARGET_HANDSHAKE_ERROR',
}

/** How failures to trust or agree on TLS are called. */
const HANDSHAKE = /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

function codeOf({ code = '' }: NodeJS.ErrnoException): EdgeErrorCode {
  return (
    BY_CODE[code] ??
    (HANDSHAKE.test(code) ? 'ROUTER_EXTERNAL_TARGET_HANDSHAKE_ERROR' : 'ROUTER_EXTERNAL_TARGET_ERROR')
  )
}
