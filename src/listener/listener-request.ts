import type { TrustedProxies } from '#core/access/trusted-proxies.ts'
import { type AnyRequest, type AnyResponse, isHttp2 } from '#core/http-message.ts'
import type { Log } from '#core/ports/log.ts'
import { badRequest, type Refusal, refuse } from './listener-refusal.ts'

/** Serves one request, of any HTTP version. What it throws becomes a 500. */
export type Handle = (req: AnyRequest, res: AnyResponse) => unknown

/** What an authority may be made of; the empty one is legal and names no host. */
const AUTHORITY = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i
const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)/i

/**
 * Brings the two places in which a request names its host, and the forms of its target, to one form: a
 * handler finds the host in `headers.host`, over HTTP/2 in `headers[':authority']` as well, and an `url`
 * that starts with a slash. A request in which they are missing, doubled or contradictory is refused, since
 * two parts of a chain could read it in two ways.
 */
function normalise(req: AnyRequest, maxHeaders: number): Refusal | undefined {
  if (req.rawHeaders.length > maxHeaders * 2) return badRequest(`more than ${maxHeaders} headers`)
  const refusal = req.httpVersionMajor === 2 && 'stream' in req ? unifyAuthority(req) : checkHost(req)
  if (refusal) return refusal
  if (!req.url?.startsWith('/') && !(req.url === '*' && req.method === 'OPTIONS')) {
    const absolute = ABSOLUTE.exec(req.url ?? '')
    if (!absolute) return badRequest('the request target is neither a path nor an http address')
    const [, authority = '', target = ''] = absolute
    req.headers.host = authority
    req.url = target.startsWith('/') ? target : `/${target}`
  }
  const { host } = req.headers
  return host !== undefined && !AUTHORITY.test(host) ? badRequest('the host is malformed') : undefined
}

function checkHost(req: AnyRequest): Refusal | undefined {
  if (req.httpVersionMajor !== 1) return badRequest(`HTTP/${req.httpVersion} is not supported`)
  const coding = req.headers['transfer-encoding']
  // Parsers disagree about others, and about which methods may have them at all.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return badRequest('the only supported transfer coding is `chunked`')
  if (req.headers.host === undefined)
    return req.httpVersionMinor === 0 ? undefined : badRequest('the Host header is missing')
  let hosts = 0
  const { rawHeaders } = req
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1 ? badRequest('more than one Host header') : undefined
}

function unifyAuthority(req: AnyRequest): Refusal | undefined {
  const { headers } = req
  const authority = headers[':authority'] as string | undefined
  if (authority === undefined) {
    if (headers.host === undefined) return badRequest('the :authority is missing')
    headers[':authority'] = headers.host
  } else if (headers.host !== undefined && headers.host.toLowerCase() !== authority.toLowerCase()) {
    return badRequest('the Host header contradicts the :authority')
  } else {
    headers.host = authority
  }
  return undefined
}

interface DispatchOptions {
  readonly handle: Handle
  readonly trustedProxies: TrustedProxies | undefined
  readonly log: Log
  readonly maxHeaders: number
}

/** The one way from a parsed request to the handler: normalised, and no throw of it gets further than this. */
export function createDispatch({ handle, trustedProxies, log, maxHeaders }: DispatchOptions): Handle {
  const failed = (error: unknown, req: AnyRequest, res: AnyResponse) => {
    log.error({ err: error, method: req.method, host: req.headers.host }, 'request handler failed')
    if (!res.headersSent)
      refuse(res, { status: 500, code: 'internal_server_error', message: 'The request could not be handled' })
    else if (isHttp2(res)) res.stream.destroy()
    else res.destroy()
  }
  return (req, res) => {
    const refusal = normalise(req, maxHeaders)
    if (refusal) return refuse(res, refusal)
    // About the server as a whole, not about any of its sites: there is nothing a handler could add.
    if (req.url === '*') return (isHttp2(res) ? res.writeHead(204) : res.writeHead(204)).end()
    trustedProxies?.note(req)
    try {
      const result = handle(req, res)
      if (result instanceof Promise) result.catch((error: unknown) => failed(error, req, res))
    } catch (error) {
      failed(error, req, res)
    }
    return undefined
  }
}
