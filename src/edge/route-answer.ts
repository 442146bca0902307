import { matchRoutes } from '#core/routing/match-routes.ts'
import type { RouteHeaders, RouteOutcome } from '#core/routing/route-outcome.ts'
import type { Site, SiteFile } from '#core/site/site.ts'
import { type Answer, type Question, withoutNamesOf } from './answer.ts'
import type { ContentStore } from './content-store.ts'
import { directoryPage } from './directory-page.ts'
import { createFileAnswer, DEFAULT_CACHING, flatHeaders, siteHeaders } from './file-answer.ts'
import type { Folders } from './folders.ts'
import type { HotAnswers } from './hot-answers.ts'
import type { Refusal } from './refusal.ts'
import { readTarget } from './request-path.ts'
import type { SiteEntry } from './site-entry.ts'
import { staticAnswer } from './static-answer.ts'

type Outcome = RouteOutcome<SiteFile>
export type ProxyOutcome = Extract<Outcome, { kind: 'proxy' }>
export type RouteAnswer = Answer | Refusal | ProxyOutcome

export interface RouteAnswerOptions {
  readonly contents: ContentStore
  readonly hotAnswers: HotAnswers
}

/** What the routes and files of a site answer, or the address elsewhere that is to be asked. */
export function routeAnswer(
  entry: SiteEntry,
  url: string,
  question: Question,
  { contents, hotAnswers }: RouteAnswerOptions,
): RouteAnswer | Promise<RouteAnswer> {
  const target = readTarget(url)
  if (target === undefined) return { code: 'BAD_REQUEST', headers: [] }
  const { method } = question
  const hot = method === 'GET' ? hotAnswers.get(entry, target.rawPath) : undefined
  if (hot !== undefined) return staticAnswer(hot, question, contents)
  const outcome = matchRoutes(entry.table, { path: target.path, query: target.query, method }, entry.files)
  const { site } = entry
  switch (outcome.kind) {
    case 'proxy':
      return outcome
    case 'serve': {
      const remembered = method === 'GET' ? hotAnswers.remember(entry, target.rawPath, outcome) : undefined
      const answer = remembered ?? createFileAnswer(site, outcome, outcome.status ?? 200, outcome.headers)
      return staticAnswer(answer, question, contents)
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
  { path, status = 200, headers }: Extract<Outcome, { kind: 'listing' }>,
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
  { location, status, headers }: Extract<Outcome, { kind: 'redirect' }>,
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

function emptyAnswer(site: Site, { status, headers }: Extract<Outcome, { kind: 'empty' }>): Answer {
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
  { site, files }: SiteEntry,
  headers: RouteHeaders,
  question: Question,
  contents: ContentStore,
): RouteAnswer | Promise<RouteAnswer> {
  const page = files.find('/404.html')
  const isRead = question.method === 'GET' || question.method === 'HEAD'
  if (page === undefined || !isRead) return { code: 'NOT_FOUND', headers: flatHeaders(headers) }
  const found = { target: page, foundAt: '/404.html' }
  return staticAnswer(createFileAnswer(site, found, 404, headers), question, contents)
}
