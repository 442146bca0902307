import type { Continuation } from '#core/routing/match/route-outcome.ts'
import type { SiteFunction } from '#core/site/site.ts'
import { dropBody, valueIn } from '../answer.ts'
import { type Exchange, type Result, visitorOf } from '../exchange.ts'
import { ask, toAnswer } from '../function/function-answer.ts'
import type { FunctionResponse, Functions } from '../function/function-call.ts'
import { isForwarded, middlewareCall } from '../function/function-request.ts'
import type { MiddlewareOutcome } from './route-answer.ts'
import { routedHeader } from './routed-header.ts'
import type { SiteEntry } from './site-entry.ts'

/** What a middleware made of a request: the answer, or the way on. */
type MiddlewareResult =
  | { readonly result: Result }
  | { readonly goOn: Continuation; readonly changes: RequestChanges }

/** What middlewares want of a request that goes on. */
export interface RequestChanges {
  /** Headers of the request, by lower-case name; undefined takes one away. */
  readonly headers: ReadonlyMap<string, string | undefined>
  /** Set in the answer, whoever gives it. */
  readonly cookies: readonly string[]
}

export const NO_CHANGES: RequestChanges = { headers: new Map(), cookies: [] }

/** Asks a middleware what is to become of a request. */
export async function askMiddleware(
  functions: Functions,
  { site }: SiteEntry,
  fn: SiteFunction,
  outcome: MiddlewareOutcome,
  exchange: Exchange,
  changes: RequestChanges,
): Promise<MiddlewareResult> {
  const call = middlewareCall(site, fn, outcome, exchange, changes.headers)
  const response = await ask(functions, call, exchange, (answered) => answered)
  if ('code' in response) return { result: response }
  const rewrite = valueIn(response.headers, 'x-middleware-rewrite')
  if (rewrite === undefined && valueIn(response.headers, 'x-middleware-next') !== '1')
    return {
      result: await toAnswer(site, { ...outcome, target: fn, status: undefined }, response, exchange),
    }
  dropBody(response)
  const headers = new Map([...changes.headers, ...requestOverrides(response, exchange)])
  return {
    goOn: {
      ...(rewrite !== undefined && { rewrite: withinSite(rewrite, exchange) }),
      headers: answerHeaders(response),
      header: (name) => (headers.has(name) ? headers.get(name) : routedHeader(exchange, name)),
    },
    changes: { headers, cookies: [...changes.cookies, ...cookiesOf(response)] },
  }
}

/** An address of this very site as a path. */
function withinSite(rewrite: string, exchange: Exchange): string {
  const url = URL.parse(rewrite)
  if (url === null || url.host !== visitorOf(exchange).host.toLowerCase()) return rewrite
  return `${url.pathname}${url.search}`
}

/** Once it is said which headers a request has from now on, it has no others. */
function* requestOverrides(
  { headers }: FunctionResponse,
  { question }: Exchange,
): Generator<[string, string | undefined]> {
  const listed = valueIn(headers, 'x-middleware-override-headers')
  if (listed === undefined) return
  const names = new Set(listed.split(',').map((name) => name.trim().toLowerCase()))
  for (const name of Object.keys(question.headers))
    if (!names.has(name) && isForwarded(name)) yield [name, undefined]
  for (const name of names)
    if (isForwarded(name)) yield [name, valueIn(headers, `x-middleware-request-${name}`)]
}

const NOT_KEPT =
  /^(?:connection|content-(?:encoding|length|type)|date|keep-alive|set-cookie|transfer-encoding|x-(?:aloft|middleware|platform)-.*)$/

function answerHeaders({ headers }: FunctionResponse): ReadonlyMap<string, string> {
  const kept = new Map<string, string>()
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string]
    if (NOT_KEPT.test(name)) continue
    const earlier = kept.get(name)
    kept.set(name, earlier === undefined ? value : `${earlier}, ${value}`)
  }
  return kept
}

const cookiesOf = ({ headers }: FunctionResponse): readonly string[] =>
  headers.filter((_, index) => index % 2 === 1 && headers[index - 1] === 'set-cookie')
