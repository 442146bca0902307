import { withoutCaching } from '#core/routing/match/routing-state.ts'
import type { Site, SiteFunction, SiteVisit } from '#core/site/site.ts'
import { type Answer, valueIn } from '../answer.ts'
import type { Refusal } from '../error/refusal.ts'
import type { Exchange, Result } from '../exchange.ts'
import { compressAnswer } from '../file/compress-answer.ts'
import { siteHeaders } from '../file/file-answer.ts'
import { whenUnwanted } from '../respond.ts'
import { callFunction, type FunctionResponse, type Functions } from './function-call.ts'
import { visitorHeaders } from './function-headers.ts'
import { type FunctionCall, type FunctionOutcome, visitorCall } from './function-request.ts'
import { transformResponse } from './header-transform.ts'

/** Sends the visitor's request to the function and answers with what comes back. */
export function functionAnswer(
  functions: Functions,
  site: Site,
  outcome: FunctionOutcome,
  exchange: Exchange,
): Promise<Result> {
  const call = visitorCall(site, outcome, exchange)
  const refused = functions.refused.take(exchange.req, call.program)
  if (refused !== undefined) {
    exchange.failure = refused
    return Promise.resolve(refused)
  }
  return ask(functions, call, exchange, (response) => toAnswer(site, outcome, response, exchange))
}

/** Calls, for as long as the visitor waits, and goes on with the response. */
export function ask<A>(
  functions: Functions,
  call: FunctionCall,
  exchange: Pick<Exchange, 'res' | 'forAll' | 'isCold' | 'failure'>,
  goOn: (response: FunctionResponse) => A | Promise<A>,
): Promise<A | Refusal> {
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
    whenUnwanted(exchange, () => waiting.cancel())
  })
}

/** A response as the visitor gets it. */
export function toAnswer(
  site: Site,
  outcome: Pick<FunctionOutcome, 'target' | 'status' | 'headers' | 'transforms'>,
  response: FunctionResponse,
  { question }: Pick<Exchange, 'question'>,
): Answer | Promise<Answer> {
  const { status, body, switched } = response
  const isOwnError = status >= 400 && outcome.status === undefined
  const rules = isOwnError ? withoutCaching(outcome.headers) : outcome.headers
  const headers = visitorHeaders(response.headers, rules, siteHeaders(site))
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
