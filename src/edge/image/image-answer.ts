import { availableParallelism } from 'node:os'
import type { ImageConfig } from '#core/output/image-config.ts'
import { ImageFailure, type Images } from '#core/ports/images.ts'
import type { Site } from '#core/site/site.ts'
import { createTurns } from '#core/turns.ts'
import { type Answer, dropBody, headerOf, type Question, textOf } from '../answer.ts'
import type { AnswerMemory, HeldAnswer } from '../answer-memory.ts'
import type { CacheKeyParts } from '../cache/cache-key.ts'
import type { EdgeCache } from '../cache/edge-cache.ts'
import { type Exchange, type Result, visitorOf } from '../exchange.ts'
import { siteHeaders } from '../file/file-answer.ts'
import { gather } from '../gather.ts'
import type { Proxy as Forwarder } from '../proxy/proxy.ts'
import type { AnyRequest } from '../request/message.ts'
import { imageKind, negotiated } from './image-kind.ts'
import { type ImageRequest, readImageRequest } from './image-request.ts'

/** What the site itself answers to a GET of one of its paths, for nobody in particular. */
type AskSite = (url: string) => Promise<Result>

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
}

const LARGEST = 32 * 1024 * 1024
/**
 * Of one account. Each is an image in memory, and keeps the one process that converts images from those of others; the
 * rest waits before anything of it is read.
 */
export const AT_ONCE = Math.max(2, Math.floor(availableParallelism() / 2))
/** Of one account: whoever would wait for more is told to come back. */
const MOST_WAITING = 200
const FETCH_WITHIN_MS = 15_000
const REDIRECTS = 3
const POLICY = "script-src 'none'; frame-src 'none'; sandbox;"
/** An image that grew old is given while it is made anew. */
const STALE_SECONDS = 31_536_000
const BY = 'images'

/** Images of a site in the size and format that a visitor wants, made once for all who do. */
export function createImageAnswer({ images, cache, held, proxy }: Options): AnswerImage {
  const turns = createTurns(AT_ONCE)

  async function fetchRemote(url: string, { ownerId }: Site, exchange: Exchange): Promise<Result> {
    let target = url
    for (let hop = 0; ; hop++) {
      const req = { method: 'GET', headers: { accept: 'image/*,*/*;q=0.5' } } as unknown as AnyRequest
      const visitor = { ...visitorOf(exchange), ip: '127.0.0.1' }
      const result = await proxy.forward({
        ...{
          req,
          ownerId,
          signal: AbortSignal.timeout(FETCH_WITHIN_MS),
          url: target,
          visitor,
          status: undefined,
        },
        ...{ headers: new Map(), siteHeaders: [] },
      })
      if ('code' in result || result.status < 300 || result.status > 399 || hop >= REDIRECTS) return result
      const next = URL.parse(textOf(result.headers, 'location') ?? '', target)
      if (next === null) return result
      dropBody(result)
      target = next.href
    }
  }

  async function make(
    { site, config, exchange, askSite }: ImageVisit,
    asked: ImageRequest,
    mine: HeldAnswer,
  ): Promise<Result> {
    const source = await (asked.isLocal ? askSite(asked.url) : fetchRemote(asked.url, site, exchange))
    if ('code' in source || source.status !== 200) {
      if (!('code' in source)) dropBody(source)
      const isPassedOn = source && 'status' in source && (source.status === 404 || source.status === 403)
      const status = isPassedOn ? source.status : 'code' in source && source.code === 'NOT_FOUND' ? 404 : 502
      return failed(site, status, '"url" parameter is valid but upstream response is invalid')
    }
    const bytes = await gather(source.body, LARGEST, mine)
    if (bytes === 'no-room') return failed(site, FAILED.busy.status, FAILED.busy.says)
    const kind = typeof bytes === 'string' ? undefined : imageKind(bytes)
    if (typeof bytes === 'string' || kind === undefined)
      return failed(site, 400, "The requested resource isn't a valid image.")
    if (kind.type === 'image/svg+xml' && !config.dangerouslyAllowSVG)
      return failed(site, 400, '"url" parameter is valid but image type is not allowed')
    const said = textOf(source.headers, 'cache-control') ?? ''
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
      return error.kind === 'unavailable'
        ? shown(bytes, kind.type, 1)
        : failed(site, FAILED[error.kind].status, FAILED[error.kind].says)
    }
  }

  async function makeInTurn(visit: ImageVisit, asked: ImageRequest): Promise<Result> {
    const { site } = visit
    if (turns.waiting(site.ownerId) >= MOST_WAITING) return failed(site, FAILED.busy.status, FAILED.busy.says)
    return turns.run(site.ownerId, () => {
      const mine = held.hold(site.ownerId)
      return make(visit, asked, mine).finally(mine.release)
    })
  }

  return async (visit) => {
    const { site, config, query, exchange } = visit
    const { method } = exchange.question
    const asked = readImageRequest(query, config)
    if ('problem' in asked) return failed(site, 400, asked.problem)
    if (method !== 'GET' && method !== 'HEAD') return failed(site, 405, 'Only GET is allowed.')
    const work = () => makeInTurn(visit, asked)
    const result = await cache.answer({
      ...askedImage(site, config, asked, exchange.question),
      ...{ make: work, makeForAll: work },
      ...{ isPersonal: false, source: 'static' as const, entrypoint: asked.url },
    })
    return 'code' in result ? result : { ...result, headers: [...result.headers, ...IMAGE_HEADERS] }
  }
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
} as const

function answerOf(
  site: Site,
  config: ImageConfig,
  { url }: ImageRequest,
  { body, type, seconds }: { readonly body: Buffer; readonly type: string; readonly seconds: number },
): Answer {
  const name = /([^/?#]+?)(?:\.[^./?#]*)?(?:[?#].*)?$/.exec(url)?.[1]?.replace(/[^\w.-]/g, '_') ?? 'image'
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
