import { MINUTE } from '#contract/time.ts'
import type { AnyRequest } from '#core/http-message.ts'
import type { Site } from '#core/site/site.ts'
import { addressedAt, type Exchange, type Result, visitorOf } from '../exchange.ts'
import { siteHeaders } from '../file/file-answer.ts'
import { sentHeader } from '../function/function-request.ts'
import { extraHeaders, isPersonalRequest, transformAnswer } from '../function/header-transform.ts'
import type { Proxy as Forwarder } from '../proxy/proxy.ts'
import type { Visitor } from '../proxy/proxy-headers.ts'
import { whenUnwanted } from '../respond.ts'
import type { ProxyOutcome } from '../site/route-answer.ts'
import { neutralHeaders } from './cache-key.ts'
import { type EdgeCache, mayShare, plainQuestion } from './edge-cache.ts'

export type Forward = (site: Site, outcome: ProxyOutcome, exchange: Exchange) => Result | Promise<Result>

/** How long an answer that nobody waits for may take. */
const RENEW_MS = MINUTE

/** Sends requests to elsewhere, and keeps the answers that say that they may be given to everybody. */
export function createCachedForward(proxy: Forwarder, cache: EdgeCache): Forward {
  async function send(
    site: Site,
    outcome: ProxyOutcome,
    request: { readonly req: AnyRequest; readonly signal: AbortSignal; readonly visitor: Visitor },
  ): Promise<Result> {
    const { url, status, headers } = outcome
    const extra = extraHeaders(outcome, outcome.overrides, (name) => sentHeader(request.req, name))
    const answer = await proxy.forward({
      ...{ ...request, ownerId: site.ownerId, extra },
      ...{ url, status, headers, siteHeaders: siteHeaders(site) },
    })
    return 'code' in answer ? answer : transformAnswer(answer, outcome)
  }

  const forVisitor: (...args: Parameters<Forward>) => Promise<Result> = (site, outcome, exchange) => {
    const gone = new AbortController()
    whenUnwanted(exchange, () => gone.abort())
    return send(site, outcome, { req: exchange.req, signal: gone.signal, visitor: visitorOf(exchange) })
  }

  return (site, outcome, exchange) => {
    const { question } = exchange
    const target = URL.parse(outcome.url)
    if (target === null || !mayShare(site, exchange)) return forVisitor(site, outcome, exchange)
    return cache.through({
      site,
      by: target.origin,
      url: `${target.pathname}${target.search}`,
      ...addressedAt(exchange),
      said: outcome,
      question,
      make: () => forVisitor(site, outcome, exchange),
      makeForAll: () => {
        const headers = Object.fromEntries(neutralHeaders(plainQuestion(question)))
        const req = { method: 'GET', headers } as unknown as AnyRequest
        const visitor = { ...visitorOf(exchange), ip: '127.0.0.1' }
        return send(site, outcome, { req, signal: AbortSignal.timeout(RENEW_MS), visitor })
      },
      isPersonal: isPersonalRequest(outcome),
      source: 'proxy',
      entrypoint: outcome.url,
    })
  }
}
