import { matchRoutes, type RoutedRequest } from '#core/routing/match/match-routes.ts'
import type { RouteHeaders, RouteOutcome } from '#core/routing/match/route-outcome.ts'
import type { Site } from '#core/site/site.ts'
import { andThen } from '../and-then.ts'
import { type Answer, type Question, withoutNamesOf } from '../answer.ts'
import type { Refusal } from '../error/refusal.ts'
import type { Exchange } from '../exchange.ts'
import type { ContentStore } from '../file/content-store.ts'
import { directoryPage } from '../file/directory-page.ts'
import { createFileAnswer, DEFAULT_CACHING, flatHeaders, siteHeaders } from '../file/file-answer.ts'
import type { Folders } from '../file/folders.ts'
import type { HotAnswers } from '../file/hot-answers.ts'
import { staticAnswer } from '../file/static-answer.ts'
import type { FunctionOutcome } from '../function/function-request.ts'
import { transformAnswer } from '../function/header-transform.ts'
import type { Target } from '../request/request-path.ts'
import { matchInTurns } from './match-in-turns.ts'
import { isPersonal, namesIn } from './personal.ts'
import { routedHeader } from './routed-header.ts'
import type { SiteEntry } from './site-entry.ts'
import { isFunction, type SiteTarget } from './site-target.ts'

type SiteRouteOutcome = RouteOutcome<SiteTarget>
export type ProxyOutcome = Extract<SiteRouteOutcome, { kind: 'proxy' }> & Pick<FunctionOutcome, 'overrides'>
export type MiddlewareOutcome = Extract<SiteRouteOutcome, { kind: 'middleware' }>
/** An answer, or who has to be asked for one. */
export type RouteAnswer = Answer | Refusal | ProxyOutcome | FunctionOutcome | MiddlewareOutcome

interface RouteAnswerOptions {
  readonly contents: ContentStore
  readonly hotAnswers: HotAnswers
}

/** What the routes and files of a site answer to a request that was read already. */
export function routeAnswer(
  entry: SiteEntry,
  target: Target,
  exchange: Exchange,
  { contents, hotAnswers }: RouteAnswerOptions,
): RouteAnswer | Promise<RouteAnswer> {
  const { question } = exchange
  const isHot =
    question.method === 'GET' && !isPersonal(entry, target.query !== '', namesIn(question.headers))
  const hot = isHot ? hotAnswers.get(entry, target.rawPath) : undefined
  if (hot !== undefined) return staticAnswer(hot, question, contents)
  const request = routedRequest(entry, target, exchange)
  const outcome = matchInTurns(() => matchRoutes(entry.table, request, entry.targets))
  if (outcome instanceof Promise)
    return outcome.then((late) => outcomeAnswer(entry, target, late, question, contents))
  if (isHot && outcome.kind === 'serve' && !isFunction(outcome.target)) {
    const remembered = hotAnswers.remember(entry, target.rawPath, { ...outcome, target: outcome.target })
    if (remembered !== undefined) return staticAnswer(remembered, question, contents)
  }
  return outcomeAnswer(entry, target, outcome, question, contents)
}

/** What the routes are told of a request. */
export const routedRequest = (
  { site }: SiteEntry,
  { path, query }: Target,
  exchange: Exchange,
): RoutedRequest => ({
  path,
  query,
  method: exchange.question.method,
  host: site.host,
  header: (name) => routedHeader(exchange, name),
})

/** Where the routes have led to. */
export function outcomeAnswer(
  entry: SiteEntry,
  asked: Target,
  outcome: SiteRouteOutcome,
  question: Question,
  contents: ContentStore,
): RouteAnswer | Promise<RouteAnswer> {
  const { site } = entry
  switch (outcome.kind) {
    case 'proxy':
    case 'middleware':
      return outcome
    case 'serve': {
      const { target, foundAt, status = 200, headers } = outcome
      if (isFunction(target)) return { ...outcome, kind: 'function', target, asked }
      const answer = createFileAnswer(site, { target, foundAt }, status, headers)
      // The page of an error goes with any method.
      const asRead = status >= 400 && question.method !== 'HEAD' ? { ...question, method: 'GET' } : question
      return andThen(staticAnswer(answer, asRead, contents), (read) =>
        'code' in read ? read : transformAnswer(read, outcome),
      )
    }
    case 'listing':
      return listingAnswer(entry, outcome, question)
    case 'redirect':
      return redirectAnswer(site, outcome)
    case 'empty':
      return emptyAnswer(site, outcome)
    case 'not-found':
      return notFoundAnswer(entry, outcome.headers, question, contents)
    case 'refused':
      return { code: REFUSED[outcome.reason], headers: [] }
  }
}

const REFUSED = {
  unsafe: 'BAD_REQUEST',
  'too-costly': 'URL_TOO_LONG',
  'not-compiled': 'SERVICE_UNAVAILABLE',
  'too-large': 'INTERNAL_ERROR',
} as const

/** The headers of an answer that is not a file's: our own, and those of the routes where they say something else. */
function withRouteHeaders(
  site: Site,
  routeHeaders: RouteHeaders,
  headers: readonly string[],
): readonly string[] {
  const own = [...headers, ...siteHeaders(site)]
  return [...own, ...withoutNamesOf(own, flatHeaders(routeHeaders))]
}

const caching = (headers: RouteHeaders): readonly string[] => [
  'cache-control',
  headers.get('cache-control') ?? DEFAULT_CACHING,
]

function listingAnswer(
  { site, folders, listings }: SiteEntry,
  { path, status = 200, headers }: Extract<SiteRouteOutcome, { kind: 'listing' }>,
  { method }: Question,
): Answer | Refusal {
  if (method !== 'GET' && method !== 'HEAD')
    return { code: 'INVALID_REQUEST_METHOD', headers: ['allow', 'GET, HEAD'] }
  const body = listings.get(path) ?? renderListing(folders(), path)
  if (body === undefined) return { code: 'NOT_FOUND', headers: [] }
  listings.set(path, body)
  return {
    status,
    headers: withRouteHeaders(site, headers, [
      ...['content-type', 'text/html; charset=utf-8'],
      ...caching(headers),
      ...['content-length', String(body.length)],
    ]),
    body,
    source: 'static',
    entrypoint: path,
  }
}

function renderListing(folders: Folders, path: string): Buffer | undefined {
  const folder = folders.get(path)
  return folder && Buffer.from(directoryPage(folder))
}

const REDIRECTING = Buffer.from('Redirecting...\n')

function redirectAnswer(
  site: Site,
  { location, status, headers }: Extract<SiteRouteOutcome, { kind: 'redirect' }>,
): Answer {
  const hasBody = status !== 304
  return {
    status,
    headers: withRouteHeaders(site, headers, [
      ...['location', location],
      ...caching(headers),
      ...(hasBody
        ? ['content-type', 'text/plain; charset=utf-8', 'content-length', String(REDIRECTING.length)]
        : []),
    ]),
    body: hasBody ? REDIRECTING : undefined,
    source: 'redirect',
    entrypoint: location,
  }
}

function emptyAnswer(site: Site, { status, headers }: Extract<SiteRouteOutcome, { kind: 'empty' }>): Answer {
  const hasLength = status !== 204 && status !== 304
  return {
    status,
    headers: withRouteHeaders(site, headers, [
      ...caching(headers),
      ...(hasLength ? ['content-length', '0'] : []),
    ]),
    body: undefined,
    source: status >= 400 ? 'error' : 'static',
    entrypoint: '',
  }
}

/** The site's own page for it, if it has one. */
function notFoundAnswer(
  { site, targets }: SiteEntry,
  headers: RouteHeaders,
  question: Question,
  contents: ContentStore,
): RouteAnswer | Promise<RouteAnswer> {
  const page = targets.find('/404.html')
  const isRead = question.method === 'GET' || question.method === 'HEAD'
  if (page === undefined || isFunction(page) || !isRead)
    return { code: 'NOT_FOUND', headers: flatHeaders(headers) }
  const found = { target: page, foundAt: '/404.html' }
  return staticAnswer(createFileAnswer(site, found, 404, headers), question, contents)
}
