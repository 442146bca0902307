import { MINUTE } from '#contract/time.ts'
import type { Site } from '#core/site/site.ts'
import { addressedAt, type Exchange, type Result, visitorOf } from '../exchange.ts'
import { siteHeaders } from '../file/file-answer.ts'
import type { Proxy as Forwarder } from '../proxy/proxy.ts'
import type { AnyRequest } from '../request/message.ts'
import { whenOver } from '../respond.ts'
import type { ProxyOutcome } from '../site/route-answer.ts'
import { neutralHeaders } from './cache-key.ts'
import { type EdgeCache, mayAsk, plainQuestion } from './edge-cache.ts'

export type Forward = (site: Site, outcome: ProxyOutcome, exchange: Exchange) => Result | Promise<Result>

/** How long an answer that nobody waits for may take. */
const RENEW_MS = MINUTE

/** Sends requests to elsewhere, and keeps the answers that say that they may be given to everybody. */
export function createCachedForward(proxy: Forwarder, cache: EdgeCache): Forward {
  function send(
    site: Site,
    { url, status, headers }: ProxyOutcome,
    exchange: Exchange,
    request: { readonly req: AnyRequest; readonly signal: AbortSignal; readonly ip: string },
  ): Promise<Result> {
    const visitor = { ...visitorOf(exchange), ip: request.ip }
    const { req, signal } = request
    const { ownerId } = site
    return proxy.forward({
      req,
      ownerId,
      signal,
      url,
      visitor,
      status,
      headers,
      siteHeaders: siteHeaders(site),
    })
  }

  const forVisitor: (...args: Parameters<Forward>) => Promise<Result> = (site, outcome, exchange) => {
    const { req, res, ip } = exchange
    const gone = new AbortController()
    whenOver(res, () => gone.abort())
    return send(site, outcome, exchange, { req, signal: gone.signal, ip })
  }

  return (site, outcome, exchange) => {
    const { question } = exchange
    const target = URL.parse(outcome.url)
    if (target === null || site.keepsAnswers === false || !mayAsk(question))
      return forVisitor(site, outcome, exchange)
    return cache.through({
      site,
      by: target.origin,
      url: `${target.pathname}${target.search}`,
      ...addressedAt(exchange),
      question,
      make: () => forVisitor(site, outcome, exchange),
      makeForAll: () => {
        const headers = Object.fromEntries(neutralHeaders(plainQuestion(question)))
        const req = { method: 'GET', headers } as unknown as AnyRequest
        return send(site, outcome, exchange, { req, signal: AbortSignal.timeout(RENEW_MS), ip: '127.0.0.1' })
      },
      isPersonal: false,
      source: 'proxy',
      entrypoint: outcome.url,
    })
  }
}
