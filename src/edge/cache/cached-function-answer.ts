import type { Site } from '#core/site/site.ts'
import { andThen } from '../and-then.ts'
import type { Refusal } from '../error/refusal.ts'
import { addressedAt, type Exchange, type Result, visitorOf } from '../exchange.ts'
import { functionAnswer, sourceOf, toAnswer } from '../function/function-answer.ts'
import { callFunction, type FunctionResponse, type Functions } from '../function/function-call.ts'
import { laidOver } from '../function/function-headers.ts'
import {
  type FunctionOutcome,
  isChangedRequest,
  isForwarded,
  sharedCall,
  urlOf,
} from '../function/function-request.ts'
import { neutralHeaders } from './cache-key.ts'
import { type EdgeCache, mayShare, plainQuestion } from './edge-cache.ts'
import { isDecidedByRules, keptOf, laidOf } from './kept-headers.ts'

type AnswerFunction = (site: Site, outcome: FunctionOutcome, exchange: Exchange) => Result | Promise<Result>

interface Options {
  readonly cache: EdgeCache
  readonly functions: Functions
  /** What answers where nothing is kept by what the function says. */
  readonly next: AnswerFunction
}

/** Answers of functions, kept for as long as they say that they may be given to everybody. */
export const createCachedFunctionAnswer =
  ({ cache, functions, next }: Options): AnswerFunction =>
  (site, outcome, exchange) => {
    const { target } = outcome
    const { question } = exchange
    const isPlain = exchange.upgrade === undefined && exchange.instance === undefined && !outcome.isPage
    if (target.prerender !== undefined || !isPlain || !mayShare(site, exchange))
      return next(site, outcome, exchange)
    const kept = keptOf(outcome)
    const result = cache.through({
      site,
      by: target.path,
      url: urlOf(outcome.asked, outcome.query),
      ...addressedAt(exchange),
      said: kept,
      question,
      make: () => forVisitor(functions, site, kept, exchange),
      makeForAll: () => forAll(functions, site, kept, exchange),
      isPersonal: isChangedRequest(outcome, exchange.req) || isDecidedByRules(outcome),
      source: sourceOf(target),
      entrypoint: target.path,
    })
    return andThen(result, (answer) =>
      'code' in answer ? answer : { ...answer, headers: laidOver(answer.headers, laidOf(outcome)) },
    )
  }

async function forVisitor(
  functions: Functions,
  site: Site,
  outcome: FunctionOutcome,
  exchange: Exchange,
): Promise<Result> {
  const plain: Exchange = { ...exchange, question: plainQuestion(exchange.question) }
  const result = await functionAnswer(functions, site, outcome, plain)
  if (plain.isCold !== undefined) exchange.isCold = plain.isCold
  if (plain.failure !== undefined) exchange.failure = plain.failure
  return result
}

/** Asks with nothing in the request that is of one visitor alone. */
async function forAll(
  functions: Functions,
  site: Site,
  outcome: FunctionOutcome,
  exchange: Exchange,
): Promise<Result> {
  const { target, asked, query } = outcome
  const question = plainQuestion(exchange.question)
  const extra = new Map([...neutralHeaders(question)].filter(([name]) => isForwarded(name)))
  const visitor = { ...visitorOf(exchange), ip: '127.0.0.1' }
  const call = sharedCall(site, target, urlOf(asked, query), visitor, extra)
  const response = await new Promise<FunctionResponse | Refusal>((resolve) => {
    callFunction(functions, call, resolve)
  })
  return 'code' in response ? response : toAnswer(site, outcome, response, { question })
}
