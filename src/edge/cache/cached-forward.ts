import { MINUTE } from '#contract/time.ts'
import type { AnyRequest } from '#core/http-message.ts'
import type { Site } from '#core/site/site.ts'
import { andThen } from '../and-then.ts'
import type { Answer } from '../answer.ts'
import { addressedAt, type Exchange, type Result, visitorOf } from '../exchange.ts'
import { siteHeaders } from '../file/file-answer.ts'
import { isChangedRequest, sentHeader } from '../function/function-request.ts'
import { extraHeaders, transformAnswer } from '../function/header-transform.ts'
import type { Proxy as Forwarder } from '../proxy/proxy.ts'
import { type ExtraHeaders, replacedIn, type Visitor } from '../proxy/proxy-headers.ts'
import { whenUnwanted } from '../respond.ts'
import type { ProxyOutcome } from '../site/route-answer.ts'
import { neutralHeaders } from './cache-key.ts'
import { type EdgeCache, mayShare, plainQuestion } from './edge-cache.ts'
import { isDecidedByRules, keptOf, laidOf } from './kept-headers.ts'

export type Forward = (site: Site, outcome: ProxyOutcome, exchange: Exchange) => Result | Promise<Result>

/** How long an answer that nobody waits for may take. */
const RENEW_MS = MINUTE

/** Sends requests to elsewhere, and keeps the answers that say that they may be given to everybody. */
export function createCachedForward(proxy: Forwarder, cache: EdgeCache): Forward {
  async function send(
    site: Site,
    outcome: ProxyOutcome,
    request: {
      readonly req: AnyRequest
      readonly signal: AbortSignal
      readonly visitor: Visitor
      readonly extra: ExtraHeaders | undefined
    },
  ): Promise<Result> {
    const { url, status, headers } = outcome
    const answer = await proxy.forward({
      ...{ ...request, ownerId: site.ownerId },
      ...{ url, status, headers, siteHeaders: siteHeaders(site) },
    })
    return 'code' in answer ? answer : transformAnswer(answer, outcome)
  }

  const forVisitor: (...args: Parameters<Forward>) => Promise<Result> = (site, outcome, exchange) => {
    const gone = new AbortController()
    whenUnwanted(exchange, () => gone.abort())
    const { req } = exchange
    const extra = extraHeaders(outcome, outcome.overrides, (name) => sentHeader(req, name))
    return send(site, outcome, { req, extra, signal: gone.signal, visitor: visitorOf(exchange) })
  }

  return (site, outcome, exchange) => {
    const { question } = exchange
    const target = URL.parse(outcome.url)
    if (target === null || !mayShare(site, exchange)) return forVisitor(site, outcome, exchange)
    const kept = keptOf(outcome)
    const result = cache.through({
      site,
      by: target.origin,
      url: `${target.pathname}${target.search}`,
      ...addressedAt(exchange),
      said: kept,
      question,
      make: () => forVisitor(site, kept, exchange),
      makeForAll: () => {
        const headers = Object.fromEntries(neutralHeaders(plainQuestion(question)))
        const req = { method: 'GET', headers } as unknown as AnyRequest
        const visitor = { ...visitorOf(exchange), ip: '127.0.0.1' }
        const signal = AbortSignal.timeout(RENEW_MS)
        return send(site, kept, { req, extra: undefined, signal, visitor })
      },
      isPersonal: isChangedRequest(outcome, exchange.req) || isDecidedByRules(outcome),
      source: 'proxy',
      entrypoint: outcome.url,
    })
    return andThen(result, (answer) => ('code' in answer ? answer : laidOver(site, outcome, answer)))
  }
}

/** The answer with what the routes say of it to this visitor over what is kept. */
function laidOver(site: Site, outcome: ProxyOutcome, answer: Answer): Answer {
  const laid = laidOf(outcome)
  return transformAnswer(
    { ...answer, headers: replacedIn(answer.headers, laid.headers, siteHeaders(site)) },
    laid,
  )
}
