import { availableParallelism } from 'node:os'
import { MINUTE } from '#contract/time.ts'
import { sourceOf } from '#core/access/network-of.ts'
import type { AnyRequest } from '#core/http-message.ts'
import type { ImageConfig } from '#core/output/image-config.ts'
import { ImageFailure, type Images } from '#core/ports/images.ts'
import { Shares } from '#core/shares.ts'
import type { Site } from '#core/site/site.ts'
import { createTurns, type GiveBack } from '#core/turns.ts'
import { LATE, withinTime } from '#core/within-time.ts'
import { type Answer, dropBody, headerOf, type Question, textOf } from '../answer.ts'
import type { AnswerMemory, HeldAnswer } from '../answer-memory.ts'
import type { CacheKeyParts } from '../cache/cache-key.ts'
import type { EdgeCache } from '../cache/edge-cache.ts'
import { refuse } from '../error/refusal.ts'
import type { Exchange, Result } from '../exchange.ts'
import { siteHeaders } from '../file/file-answer.ts'
import { gather } from '../gather.ts'
import { canonicalVisitor, type PublicAddress } from '../prerender/canonical-visitor.ts'
import type { Proxy as Forwarder } from '../proxy/proxy.ts'
import { whenAborted, whenOver } from '../respond.ts'
import { type ImageKind, imageKind, negotiated } from './image-kind.ts'
import { type ImageRequest, readImageRequest } from './image-request.ts'

/** What the site itself answers to a GET of one of its paths, for nobody in particular; given up once aborted. */
type AskSite = (url: string, signal: AbortSignal) => Promise<Result>

export type AnswerImage = (visit: ImageVisit) => Promise<Result>

interface ImageVisit {
  readonly site: Site
  readonly config: ImageConfig
  readonly query: string
  readonly exchange: Exchange
  readonly askSite: AskSite
}

interface Options {
  readonly images: Images
  readonly cache: EdgeCache
  readonly held: AnswerMemory
  readonly proxy: Forwarder
  /** Where visitors find sites. */
  readonly address: PublicAddress
}

const LARGEST = 32 * 1024 * 1024
/**
 * Of one account. Each is an image in memory, and keeps the one process that converts images from those of others; the
 * rest waits before anything of it is read.
 */
export const AT_ONCE = Math.max(2, Math.floor(availableParallelism() / 2))
/** Of one account or visitor: whoever would wait for more is told to come back. */
const MOST_WAITING = 200
/** Of one visitor to the sites of an account: only so many of theirs are before those of others. */
export const OF_VISITOR = 16
/** After which nobody waits any longer for a source. */
const SOURCE_WITHIN_MS = 15_000
/** After which nobody waits any longer for room in memory, the turn to look for it included. */
const ROOM_WITHIN_MS = MINUTE
/** After which an image that still waits for its source lets others go before it. */
const GIVES_WAY_MS = 500
/** Of one account that others go before; more keep their turn. */
const MOST_SLOW = 32
const REDIRECTS = 3
const POLICY = "script-src 'none'; frame-src 'none'; sandbox;"
/** An image that grew old is given while it is made anew. */
const STALE_SECONDS = 31_536_000
const BY = 'images'

/** What an image is made of. */
interface Source {
  readonly bytes: Buffer
  readonly kind: ImageKind
  readonly headers: Answer['headers']
}

/** Images of a site in the size and format that a visitor wants, made once for all who do. */
export function createImageAnswer({ images, cache, held, proxy, address }: Options): AnswerImage {
  const turns = createTurns(AT_ONCE)
  const shares = createTurns(OF_VISITOR)
  const slow = new Shares({ all: Number.POSITIVE_INFINITY, one: MOST_SLOW })
  /** Of each account, those for which there was no room. */
  const crowded = createTurns(1)

  async function fetchRemote(
    url: string,
    { site, exchange }: ImageVisit,
    signal: AbortSignal,
  ): Promise<Result> {
    const { ownerId } = site
    const visitor = canonicalVisitor(site, address, exchange.id)
    const req = { method: 'GET', headers: { accept: 'image/*,*/*;q=0.5' } } as unknown as AnyRequest
    let target = url
    for (let hop = 0; ; hop++) {
      const result = await proxy.forward({
        ...{ req, ownerId, signal, url: target, visitor, status: undefined },
        ...{ headers: new Map(), siteHeaders: [] },
      })
      if ('code' in result || result.status < 300 || result.status > 399 || hop >= REDIRECTS) return result
      const next = URL.parse(textOf(result.headers, 'location') ?? '', target)
      if (next === null) return result
      dropBody(result)
      target = next.href
    }
  }

  /** What an image is to be made of, or what is answered where there is no such thing. */
  async function find(
    visit: ImageVisit,
    asked: ImageRequest,
    mine: HeldAnswer,
  ): Promise<Source | Answer | 'no-room'> {
    const { site, config, askSite } = visit
    const signal = AbortSignal.timeout(SOURCE_WITHIN_MS)
    const asking = asked.isLocal ? askSite(asked.url, signal) : fetchRemote(asked.url, visit, signal)
    const found = await within(asking, signal)
    if (found === undefined) return failedAs(site, 'late')
    if ('code' in found || found.status !== 200) {
      if (!('code' in found)) dropBody(found)
      const isPassedOn = 'status' in found && (found.status === 404 || found.status === 403)
      const status = isPassedOn ? found.status : 'code' in found && found.code === 'NOT_FOUND' ? 404 : 502
      return failed(site, status, '"url" parameter is valid but upstream response is invalid')
    }
    const { body, headers } = found
    if (body !== undefined && !Buffer.isBuffer(body)) whenAborted(signal, () => body.destroy())
    const bytes = await gather(body, LARGEST, mine)
    if (bytes === 'no-room') {
      mine.release()
      return bytes
    }
    if (bytes === 'broken' && signal.aborted) return failedAs(site, 'late')
    const kind = typeof bytes === 'string' ? undefined : imageKind(bytes)
    if (typeof bytes === 'string' || kind === undefined) return failedAs(site, 'unreadable')
    if (kind.type === 'image/svg+xml' && !config.dangerouslyAllowSVG)
      return failed(site, 400, '"url" parameter is valid but image type is not allowed')
    return { bytes, kind, headers }
  }

  /** The same. Those for which there is no room are asked for once more, one after the other, when others have been made. */
  async function findWithRoom(
    visit: ImageVisit,
    asked: ImageRequest,
    mine: HeldAnswer,
    gone: AbortSignal | undefined,
  ): Promise<Source | Result> {
    const { site } = visit
    const { ownerId } = site
    const found = await find(visit, asked, mine)
    if (found !== 'no-room') return found
    const late = AbortSignal.timeout(ROOM_WITHIN_MS)
    const end = gone === undefined ? late : AbortSignal.any([late, gone])
    const givenUp = () => (gone?.aborted ? refuse('CLIENT_CLOSED_REQUEST') : failedAs(site, 'busy'))
    let giveBack: GiveBack
    try {
      giveBack = await crowded.take(ownerId, () => end)
    } catch {
      return givenUp()
    }
    try {
      while (!end.aborted && (await held.untilRoom(ownerId, LARGEST, end))) {
        const again = await find(visit, asked, mine)
        if (again !== 'no-room') return again
      }
      return givenUp()
    } finally {
      giveBack()
    }
  }

  async function show(
    { site, config, exchange }: ImageVisit,
    asked: ImageRequest,
    { bytes, kind, headers }: Source,
  ): Promise<Answer> {
    const said = textOf(headers, 'cache-control') ?? ''
    const upstream = /\b(?:s-maxage|max-age)\s*=\s*(\d{1,9})/i.exec(said)?.[1]
    const seconds = Math.max(config.minimumCacheTTL, Number(upstream ?? 0), 1)
    const shown = (body: Buffer, type: string, forSeconds = seconds) =>
      answerOf(site, config, asked, { body, type, seconds: forSeconds })
    if (kind.isAsIs) return shown(bytes, kind.type)
    const type = negotiated(headerOf(exchange.question, 'accept') ?? '', config, kind.type)
    try {
      const { width, quality } = asked
      return shown(await images.convert(bytes, { width, quality, type }), type)
    } catch (error) {
      if (!(error instanceof ImageFailure)) throw error
      // Where nothing can make images smaller they are served as they are.
      return error.kind === 'unavailable' ? shown(bytes, kind.type, 1) : failedAs(site, error.kind)
    }
  }

  /** In its turn, unless whom it is for has left until then. */
  async function makeInTurn(visit: ImageVisit, asked: ImageRequest, gone?: AbortSignal): Promise<Result> {
    const { site } = visit
    const { ownerId } = site
    if (turns.waiting(ownerId) >= MOST_WAITING) return failedAs(site, 'busy')
    let giveBack = await turns.take(ownerId)
    const mine = held.hold(ownerId)
    try {
      if (gone?.aborted) return refuse('CLIENT_CLOSED_REQUEST')
      const finding = findWithRoom(visit, asked, mine, gone)
      const isLate = (await withinTime(finding, GIVES_WAY_MS)) === LATE
      const leave = isLate ? slow.take(ownerId) : undefined
      if (leave !== undefined) {
        giveBack()
        await finding.finally(leave)
        giveBack = await turns.take(ownerId)
      }
      const found = await finding
      return 'bytes' in found ? await show(visit, asked, found) : found
    } finally {
      giveBack()
      mine.release()
    }
  }

  async function make(visit: ImageVisit, asked: ImageRequest, gone?: AbortSignal): Promise<Result> {
    const { site, exchange } = visit
    const visitor = `${site.ownerId} ${sourceOf(exchange.ip)}`
    if (shares.waiting(visitor) >= MOST_WAITING) return failedAs(site, 'busy')
    return shares.run(visitor, () => makeInTurn(visit, asked, gone))
  }

  return async (visit) => {
    const { site, config, query, exchange } = visit
    const { method } = exchange.question
    const asked = readImageRequest(query, config)
    if ('problem' in asked) return failed(site, 400, asked.problem)
    if (method !== 'GET' && method !== 'HEAD') return failed(site, 405, 'Only GET is allowed.')
    const gone = new AbortController()
    whenOver(exchange.res, () => gone.abort())
    const result = await cache.answer({
      ...askedImage(site, config, asked, exchange.question),
      make: () => make(visit, asked, gone.signal),
      makeForAll: () => make(visit, asked),
      ...{ isPersonal: false, source: 'static' as const, entrypoint: asked.url },
    })
    return 'code' in result ? result : { ...result, headers: [...result.headers, ...IMAGE_HEADERS] }
  }
}

/** The answer, unless it is not there before the end. One that comes later is dropped. */
function within(asking: Promise<Result>, end: AbortSignal): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    whenAborted(end, () => resolve(undefined))
    asking.then((result) => {
      if (end.aborted && !('code' in result)) dropBody(result)
      resolve(result)
    }, reject)
  })
}

/** What every answer with an image has, besides what is kept of it. */
export const IMAGE_HEADERS = ['vary', 'accept'] as const

/** An image depends on nothing of a visitor but the formats that they take. */
export function askedImage(
  site: Site,
  config: ImageConfig,
  asked: ImageRequest,
  question: Question,
): CacheKeyParts {
  const { method, headers } = question
  const accept = headerOf(question, 'accept') ?? ''
  const taken = new Set(
    ['image/avif', 'image/webp', ...config.formats].filter((type) => accept.includes(type)),
  )
  return {
    ...{ site, by: BY, scheme: 'any', authority: site.host },
    url: [asked.url, asked.width, asked.quality, [...taken].join(',')].join(' '),
    question: { method, headers: { 'if-none-match': headers['if-none-match'] } },
  }
}

const FAILED = {
  too_large: { status: 413, says: 'The image has too many pixels.' },
  unreadable: { status: 400, says: "The requested resource isn't a valid image." },
  busy: { status: 503, says: 'Too many images are being processed. Try again.' },
  late: { status: 504, says: '"url" parameter is valid but upstream response timed out' },
} as const

const failedAs = (site: Site, why: keyof typeof FAILED): Answer =>
  failed(site, FAILED[why].status, FAILED[why].says)

function answerOf(
  site: Site,
  config: ImageConfig,
  { url }: ImageRequest,
  { body, type, seconds }: { readonly body: Buffer; readonly type: string; readonly seconds: number },
): Answer {
  const file = url.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? ''
  const name = file.slice(0, endOf(file)).replace(/[^\w.-]/g, '_') || 'image'
  const ending = type.replace(/^image\/|\+xml$/g, '').replace('jpeg', 'jpg')
  return {
    status: 200,
    headers: [
      ...['content-type', type],
      ...['content-length', String(body.length)],
      ...['cache-control', 'public, max-age=0, must-revalidate'],
      ...['vercel-cdn-cache-control', `s-maxage=${seconds}, stale-while-revalidate=${STALE_SECONDS}`],
      ...['content-security-policy', config.contentSecurityPolicy ?? POLICY],
      ...[
        'content-disposition',
        `${config.contentDispositionType ?? 'inline'}; filename="${name}.${ending}"`,
      ],
      ...['x-content-type-options', 'nosniff'],
      ...siteHeaders(site).filter((_, index, all) => all[index - (index % 2)] !== 'x-content-type-options'),
    ],
    body,
    source: 'static',
    entrypoint: url,
  }
}

/** Where the ending of a file's name begins, or the name ends where it has none. */
function endOf(file: string): number {
  const dot = file.lastIndexOf('.')
  return dot > 0 ? dot : file.length
}

function failed(site: Site, status: number, message: string): Answer {
  const body = Buffer.from(`${message}\n`)
  return {
    status,
    headers: [
      ...['content-type', 'text/plain; charset=utf-8', 'content-length', String(body.length)],
      ...['cache-control', 'public, max-age=0, must-revalidate', ...siteHeaders(site)],
    ],
    body,
    source: 'error',
    entrypoint: '',
  }
}
