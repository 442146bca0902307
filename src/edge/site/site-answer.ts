import { matchError } from '#core/routing/match/match-output.ts'
import type { Site } from '#core/site/site.ts'
import { andThen } from '../and-then.ts'
import type { Answer } from '../answer.ts'
import type { Forward } from '../cache/cached-forward.ts'
import { type Refusal, refuse } from '../error/refusal.ts'
import type { Exchange, Result } from '../exchange.ts'
import type { ContentStore } from '../file/content-store.ts'
import type { HotAnswers } from '../file/hot-answers.ts'
import type { Functions } from '../function/function-call.ts'
import type { FunctionOutcome } from '../function/function-request.ts'
import type { AnswerImage } from '../image/image-answer.ts'
import { canonicalVisitor, type PublicAddress } from '../prerender/canonical-visitor.ts'
import { readTarget, type Target } from '../request/request-path.ts'
import { IMAGE_PATH, imageTarget, isImagePath } from './image-target.ts'
import { matchInTurns } from './match-in-turns.ts'
import { askMiddleware, NO_CHANGES, type RequestChanges } from './middleware.ts'
import {
  type MiddlewareOutcome,
  outcomeAnswer,
  type RouteAnswer,
  routeAnswer,
  routedRequest,
} from './route-answer.ts'
import type { SiteEntry } from './site-entry.ts'
import { isFunction } from './site-target.ts'

interface SiteAnswerOptions {
  readonly contents: ContentStore
  readonly hotAnswers: HotAnswers
  readonly forward: Forward
  readonly functions: Functions
  /** Where visitors find sites. */
  readonly address: PublicAddress
  /** Absent, images are served as they are. */
  readonly answerImage?: AnswerImage
  readonly answerFunction: (
    site: Site,
    outcome: FunctionOutcome,
    exchange: Exchange,
  ) => Result | Promise<Result>
}

/** A request on its way through a site. */
interface SiteVisit {
  readonly entry: SiteEntry
  readonly target: Target
  readonly exchange: Exchange
}

/** What a site answers to those whom its guards let in. */
export function createSiteAnswers(options: SiteAnswerOptions) {
  const { forward, functions, contents, answerFunction } = options

  function settle(visit: SiteVisit, answer: RouteAnswer, changes: RequestChanges): Result | Promise<Result> {
    if (!('kind' in answer)) return answer
    const { entry, exchange } = visit
    if (answer.kind === 'middleware') return throughMiddleware(visit, answer, changes)
    const outcome = changes === NO_CHANGES ? answer : { ...answer, overrides: changes.headers }
    return outcome.kind === 'proxy'
      ? forward(entry.site, outcome, exchange)
      : answerFunction(entry.site, outcome, exchange)
  }

  async function throughMiddleware(
    visit: SiteVisit,
    outcome: MiddlewareOutcome,
    changes: RequestChanges,
  ): Promise<Result> {
    const { entry, target, exchange } = visit
    const fn = entry.targets.find(outcome.middlewarePath)
    if (fn === undefined || !isFunction(fn)) return refuse('FUNCTION_NOT_FOUND')
    const asked = await askMiddleware(functions, entry, fn, outcome, exchange, changes)
    if ('result' in asked) return 'code' in asked.result ? asked.result : withCookies(asked.result, changes)
    const next = await matchInTurns(() => outcome.resume(asked.goOn))
    const answer = await outcomeAnswer(entry, target, next, exchange.question, contents)
    const result = await settle(visit, answer, asked.changes)
    // Those of a middleware further on are in the answer already.
    return next.kind === 'middleware' || 'code' in result ? result : withCookies(result, asked.changes)
  }

  /** The page that a build output has for a function that failed, if there is one and it does better. */
  async function failurePage(visit: SiteVisit, refusal: Refusal): Promise<Result> {
    const { entry, target, exchange } = visit
    const { question } = exchange
    const outcome = matchError(entry.table, routedRequest(entry, target, exchange), 500, entry.targets)
    if (outcome.kind !== 'serve') return refusal
    const answer = await outcomeAnswer(
      entry,
      target,
      { ...outcome, status: outcome.status ?? 500 },
      question,
      contents,
    )
    if ('kind' in answer && answer.kind !== 'function') return refusal
    const page = await settle(visit, 'kind' in answer ? { ...answer, isPage: true } : answer, NO_CHANGES)
    return 'code' in page
      ? refusal
      : {
          ...page,
          headers: [...page.headers, 'x-platform-error', refusal.code, 'x-vercel-error', refusal.code],
          source: 'error',
        }
  }

  /** What the site answers to a request that has nothing of a visitor in it, whoever caused it. */
  async function askForAll(
    entry: SiteEntry,
    { instance: _, ...exchange }: Exchange,
    url: string,
    signal: AbortSignal,
  ): Promise<Result> {
    const target = readTarget(url)
    if (target === undefined) return refuse('BAD_REQUEST')
    const headers = { accept: 'image/*,*/*;q=0.5' }
    const question = { method: 'GET', headers }
    const req = Object.create(exchange.req, {
      ...{ method: { value: 'GET' }, headers: { value: headers }, rawHeaders: { value: [] } },
    })
    const forAll = { visitor: canonicalVisitor(entry.site, options.address, exchange.id), signal }
    const visit: SiteVisit = { entry, target, exchange: { ...exchange, req, question, url, forAll } }
    return settle(visit, await routeAnswer(entry, target, visit.exchange, options), NO_CHANGES)
  }

  return {
    /** An image of the site in the size and format that the visitor wants, if that is what they ask for. */
    answerImage(entry: SiteEntry, exchange: Exchange): Result | Promise<Result> | undefined {
      const { images } = entry.site
      const sent = images && options.answerImage ? readTarget(exchange.url) : undefined
      if (sent === undefined || images === undefined || !isImagePath(entry, sent.path)) return undefined
      return options.answerImage?.({
        ...{ site: entry.site, config: images, query: sent.query, exchange },
        askSite: (url, signal) => askForAll(entry, exchange, url, signal),
      })
    },

    /** Where the routes of the site lead: to a file, a function, elsewhere or nowhere. */
    answerRoutes(entry: SiteEntry, exchange: Exchange): Result | Promise<Result> {
      const sent = readTarget(exchange.url)
      const target = sent?.path === IMAGE_PATH && isBuilt(entry) ? imageTarget(sent.query) : sent
      if (target === undefined) return refuse('BAD_REQUEST')
      const visit: SiteVisit = { entry, target, exchange }
      const result = andThen(routeAnswer(entry, target, exchange, options), (answer) =>
        settle(visit, answer, NO_CHANGES),
      )
      if (entry.table.output === undefined) return result
      return andThen(result, (settled) =>
        'code' in settled && FAILURES.has(settled.code) ? failurePage(visit, settled) : settled,
      )
    },
  }
}

/** Only what a build left behind counts on the platform for more than what is there. */
const isBuilt = ({ table, targets }: SiteEntry): boolean =>
  table.output !== undefined && targets.find(IMAGE_PATH) === undefined

/** What a site may have a page of its own for. */
const FAILURES: ReadonlySet<Refusal['code']> = new Set(['FUNCTION_INVOCATION_FAILED', 'FUNCTION_NOT_FOUND'])

const withCookies = <A extends Answer>(answer: A, { cookies }: RequestChanges): A =>
  cookies.length === 0
    ? answer
    : { ...answer, headers: [...answer.headers, ...cookies.flatMap((cookie) => ['set-cookie', cookie])] }
