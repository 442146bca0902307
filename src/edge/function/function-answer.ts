import type { RouteOutcome } from '#core/routing/match/route-outcome.ts'
import { encodePath } from '#core/routing/url/request-path.ts'
import type { Site, SiteFunction, SiteVisit } from '#core/site/site.ts'
import type { Answer } from '../answer.ts'
import type { Refusal } from '../error/refusal.ts'
import { type Exchange, type Result, visitorOf } from '../exchange.ts'
import { compressAnswer } from '../file/compress-answer.ts'
import { siteHeaders } from '../file/file-answer.ts'
import { bodyOf } from '../request/request-body.ts'
import type { Target } from '../request/request-path.ts'
import { isHttp2 } from '../respond.ts'
import { OutgoingBody } from '../upstream/outgoing-body.ts'
import { callFunction, type FunctionCall, type FunctionResponse, type Functions } from './function-call.ts'
import { type FunctionRequest, functionHead, valueIn, visitorHeaders } from './function-headers.ts'
import { extraHeaders, transformResponse } from './header-transform.ts'

/** A function that the routes led to. */
export interface FunctionOutcome
  extends Omit<Extract<RouteOutcome<SiteFunction>, { kind: 'serve' }>, 'kind'> {
  readonly kind: 'function'
  /** What the visitor asked for. */
  readonly asked: Target
  /** What middlewares want of the request's headers, by lower-case name; undefined takes one away. */
  readonly overrides?: ReadonlyMap<string, string | undefined>
  /** Whether it is asked for the page of an error: the body of the request is not for it. */
  readonly isPage?: boolean
}

/** Sends the visitor's request to the function and answers with what comes back. */
export function functionAnswer(
  functions: Functions,
  site: Site,
  outcome: FunctionOutcome,
  exchange: Exchange,
): Promise<Result> {
  const { req, upgrade } = exchange
  const { program } = callOf(site, outcome.target, exchange)
  const refused = isHttp2(exchange.res) ? undefined : functions.refused.take(req.socket, program)
  if (refused !== undefined) {
    exchange.failure = refused
    return Promise.resolve(refused)
  }
  const request = functionRequest(site, outcome, exchange)
  const body = upgrade !== undefined || outcome.isPage ? 'none' : bodyOf(req)
  const call: FunctionCall = {
    ...callOf(site, outcome.target, exchange),
    instance: exchange.instance,
    method: request.method,
    head: functionHead(req, request, { upgrade: upgrade?.protocol, body }),
    body: body === 'none' ? undefined : new OutgoingBody(req),
    mayUpgrade: upgrade !== undefined && !outcome.isPage,
  }
  return ask(functions, call, exchange, (response) => toAnswer(site, outcome, response, exchange))
}

/** What every call on behalf of this visitor has in common. */
export const callOf = (
  site: Site,
  fn: SiteFunction,
  { id, ip }: Pick<Exchange, 'id' | 'ip'>,
): Pick<FunctionCall, 'program' | 'requestId' | 'affinity' | 'limitMs'> => ({
  program: { deploymentId: site.deploymentId, program: fn.program },
  requestId: id,
  affinity: site.sessionAffinity === 'ip' ? ip : undefined,
  limitMs: fn.maxDuration * 1000,
})

/** Calls, for as long as the visitor waits, and goes on with the response. */
export function ask<A>(
  functions: Functions,
  call: FunctionCall,
  exchange: Pick<Exchange, 'res' | 'isCold' | 'failure'>,
  goOn: (response: FunctionResponse) => A | Promise<A>,
): Promise<A | Refusal> {
  const { res } = exchange
  return new Promise((resolve, reject) => {
    const waiting = callFunction(functions, call, (response) => {
      if ('code' in response) exchange.failure = response
      else if (response.isCold === true) exchange.isCold = true
      try {
        resolve('code' in response ? response : goOn(response))
      } catch (error) {
        reject(error)
      }
    })
    res.once('close', () => waiting.cancel())
  })
}

export function functionRequest(site: Site, outcome: FunctionOutcome, exchange: Exchange): FunctionRequest {
  const { target, asked, query } = outcome
  return {
    method: outcome.isPage ? 'GET' : exchange.question.method,
    url: urlOf(asked, query),
    visitor: visitorOf(exchange),
    matchedPath: `/${target.path}`,
    deploymentHost: site.deploymentHost ?? site.host,
    extra: extraHeaders(outcome, outcome.overrides),
  }
}

/** The visitor's path in the one spelling that the routes have judged, with the query that they made of his. */
export const urlOf = ({ path }: Target, query: string): string =>
  query === '' ? encodePath(path) : `${encodePath(path)}?${query}`

/** A response as the visitor gets it. */
export function toAnswer(
  site: Site,
  outcome: Pick<FunctionOutcome, 'target' | 'status' | 'headers' | 'transforms'>,
  response: FunctionResponse,
  { question }: Pick<Exchange, 'question'>,
): Answer | Promise<Answer> {
  const { status, body, switched } = response
  const headers = visitorHeaders(response.headers, outcome.headers, siteHeaders(site))
  const answer: Answer = {
    status: switched === undefined ? (outcome.status ?? status) : status,
    headers: outcome.transforms === undefined ? headers : transformResponse(headers, outcome.transforms),
    body,
    source: sourceOf(outcome.target),
    entrypoint: outcome.target.path,
  }
  if (switched === undefined) return compressAnswer(answer, question)
  const upgrade = ['connection', 'Upgrade', 'upgrade', valueIn(response.headers, 'upgrade') ?? '']
  return Object.assign(answer, { headers: [...headers, ...upgrade], switched })
}

export const sourceOf = ({ shape }: SiteFunction): SiteVisit['source'] =>
  shape === 'command' ? 'server' : 'function'
