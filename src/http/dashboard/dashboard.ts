import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { extname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { PIECE_BYTES, piecesOf, pourWhole } from '#core/chunks.ts'
import { acceptedEncodings, type Encoding } from '#core/negotiation/encoding.ts'
import { isInHand } from '#core/negotiation/entity-tag.ts'

/** Answers a request that is for the dashboard; false when it is for somebody else. */
type Dashboard = (
  req: IncomingMessage | Http2ServerRequest,
  res: ServerResponse | Http2ServerResponse,
) => boolean

/** Nothing from elsewhere, nothing inline: what a user put into a log or a file cannot become a program here. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  // What has the browser keep the dashboard's own program; see dashboard/api/keep-shell.ts.
  'trusted-types aloft-worker',
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/** Whoever opens it in a window of theirs has nothing to hold on to. Browsers take no notice of it by plain HTTP, and say so. */
const OPENER_POLICY = { 'cross-origin-opener-policy': 'same-origin' } as const

const isTrustworthy = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** The addresses of pages. The API has no GET under any of them. The dashboard's service worker has the same. */
export const PAGE = /^\/(?:$|(?:a|account|deployments|import|new|operator|projects)(?:\/|$))/

interface Asset {
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
  /** Compressed when the dashboard was built, if it shrinks. */
  readonly bodies: Readonly<Partial<Record<Encoding, Buffer | undefined>> & { identity: Buffer }>
}

/**
 * Serves what was built into this folder to browsers that are at `baseUrl`; undefined when nothing was. Everything is held in
 * memory: it is small.
 */
export function createDashboard(folder: string, baseUrl: string): Dashboard | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined
  const shared = { ...HEADERS, ...(isTrustworthy(new URL(baseUrl)) && OPENER_POLICY) }
  const paths = filesBelow(folder).filter((path) => extname(path) in TYPES)
  const assets = new Map(
    paths.map((path) => [`/${path}`, readAsset(join(folder, path), path.startsWith('assets'), shared)]),
  )
  const start = assets.get('/index.html')
  assets.delete('/index.html')

  return (req, res) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return false
    // A browser that opens a page brings cookies and no token: other clients know endpoints at some of these addresses.
    if (req.headers.authorization !== undefined) return false
    const path = (req.url ?? '/').replace(/[?#].*$/s, '')
    const asset = assets.get(path) ?? (PAGE.test(path) ? start : undefined)
    if (asset === undefined) return false
    send(req, res as ServerResponse, asset)
    return true
  }
}

/** Every start waits for it, and Node's own way to list what is below a folder takes ten times as long. */
const filesBelow = (folder: string, before = ''): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? filesBelow(join(folder, entry.name), `${before}${entry.name}/`)
      : before + entry.name,
  )

function readAsset(file: string, named: boolean, shared: Readonly<Record<string, string>>): Asset {
  const plain = readFileSync(file)
  const read = (path: string) => (existsSync(path) ? readFileSync(path) : undefined)
  const etag = `"${createHash('sha1').update(plain).digest('base64url')}"`
  return {
    headers: {
      ...shared,
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      // The name of an asset holds a digest of what is in it.
      'cache-control': named ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag,
      vary: 'accept-encoding',
    },
    etag,
    bodies: { br: read(`${file}.br`), gzip: read(`${file}.gz`), identity: plain },
  }
}

function send(
  req: IncomingMessage | Http2ServerRequest,
  res: ServerResponse,
  { headers, etag, bodies }: Asset,
) {
  const sent = req.headers['if-none-match']
  if (sent !== undefined && isInHand(sent, etag)) return void res.writeHead(304, headers).end()
  const accepted = acceptedEncodings(req.headers['accept-encoding']?.toString())
  const encoding = accepted.find((coding) => bodies[coding] !== undefined) ?? 'identity'
  const body = bodies[encoding] ?? bodies.identity
  res.writeHead(200, {
    ...headers,
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    'content-length': body.length,
  })
  if (req.method === 'HEAD') res.end()
  else if (body.length <= PIECE_BYTES) res.end(body)
  // Encrypted or in frames, it would be a copy for each who asks for it and does not read.
  else pourWhole(piecesOf(body), streamOf(res), () => {})
}

/** What has a pace: over HTTP/2 the answer itself has none. */
const streamOf = (res: ServerResponse | Http2ServerResponse): Writable => (isHttp2(res) ? res.stream : res)

const isHttp2 = (res: ServerResponse | Http2ServerResponse): res is Http2ServerResponse => 'stream' in res
