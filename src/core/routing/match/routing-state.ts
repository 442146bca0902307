import { type Subject, type WorkMeter, workOfRequest } from '../pattern/pattern.ts'
import type { Rule } from '../route-table.ts'
import { mergeQuery } from '../url/query.ts'
import { encodePath, encodeRawText } from '../url/request-path.ts'
import type { Groups } from '../url/template.ts'
import { toUrl, type UrlParts } from '../url/url-template.ts'
import { expandHeader, type HeaderRule } from './header-rule.ts'
import type { Refusal, RouteHeaders, RouteOutcome } from './route-outcome.ts'
import type { RoutedRequest } from './routed-request.ts'

const MAX_HEADER_SIZE = 32_768

/** A request on its way through the rules, with what they did to it so far. */
export interface RoutingState {
  readonly method: string
  path: string
  query: string
  /** Made of the path when a rule first looks at it. */
  subject: Subject | undefined
  status: number | undefined
  headers: Map<string, string>
  headerSize: number
  readonly meter: WorkMeter
}

/** Shared by all requests without headers; never written to. */
export const NO_HEADERS = new Map<string, string>()

export const setOut = ({ method, path, query }: RoutedRequest): RoutingState => ({
  method,
  path,
  query,
  subject: undefined,
  status: undefined,
  headers: NO_HEADERS,
  headerSize: 0,
  meter: workOfRequest(),
})

/** Puts the headers over those of earlier rules. */
export function addHeaders(
  rules: readonly HeaderRule[],
  groups: Groups,
  state: RoutingState,
): Refusal | undefined {
  for (const header of rules) {
    const value = expandHeader(header, groups)
    if (value === undefined) return 'unsafe'
    // What is put together anew takes as long as it is.
    if (typeof header.value !== 'string') state.meter.left -= value.length >> 2
    const refusal = setHeader(state, header.name, value)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** How long something may be kept. */
const CACHING = ['cache-control', 'cdn-cache-control', 'vercel-cdn-cache-control']
/** The same, and in which form it is sent. */
const OF_FILE = [...CACHING, 'content-disposition', 'content-encoding', 'content-type']

function without(names: readonly string[], headers: Map<string, string>): Map<string, string> {
  return names.some((name) => headers.has(name))
    ? new Map([...headers].filter(([name]) => !names.includes(name)))
    : headers
}

/**
 * For an error that nobody has asked for: what rules say of how long a path may be kept is of what is there. A browser that keeps an
 * error for a year never finds what is there later.
 */
export const withoutCaching = (headers: RouteHeaders): RouteHeaders => without(CACHING, new Map(headers))

/** For a page that is sent in the place of a file that is not there. */
export function forgetFile(state: RoutingState): void {
  state.headers = without(OF_FILE, state.headers)
}

/** A rule that makes an error of a request says itself how long that may be kept. */
export function forgetCachingFor({ status, headers }: Rule, state: RoutingState): void {
  if (status !== undefined && status >= 400 && !headers.some(({ name }) => CACHING.includes(name)))
    state.headers = without(CACHING, state.headers)
}

export function setHeader(state: RoutingState, name: string, value: string): Refusal | undefined {
  if (state.headers === NO_HEADERS) state.headers = new Map()
  const replaced = state.headers.get(name)
  state.headerSize += value.length - (replaced === undefined ? -name.length : replaced.length)
  if (state.headerSize > MAX_HEADER_SIZE) return 'too-large'
  state.headers.set(name, value)
  return undefined
}

export function rewrite(state: RoutingState, to: UrlParts | undefined): void {
  if (to === undefined) return
  state.meter.left -= to.path.length + (to.query === '' ? 0 : state.query.length + to.query.length)
  state.path = to.path
  state.query = mergeQuery(state.query, to.query)
  state.subject = undefined
}

/** A redirect or a request to another host, if the rule comes to that. */
export function leaveSite<Target>(
  state: RoutingState,
  rule: Rule,
  to: UrlParts | undefined,
): RouteOutcome<Target> | undefined {
  const { status } = state
  const isAnswer = isRedirect(status) || (rule.status !== undefined && to === undefined)
  const redirected = isAnswer ? redirectByHeader<Target>(state) : undefined
  if (redirected !== undefined || to === undefined) return redirected
  const query = encodeRawText(mergeQuery(state.query, to.query))
  if (isRedirect(status)) {
    const path = rule.destination?.isExternal ? to.path : encodePath(to.path)
    return { kind: 'redirect', location: toUrl({ ...to, path, query }), status, headers: state.headers }
  }
  if (!rule.destination?.isExternal) return undefined
  return { kind: 'proxy', url: toUrl({ ...to, query, fragment: '' }), status, headers: state.headers }
}

function redirectByHeader<Target>({ status, headers }: RoutingState): RouteOutcome<Target> | undefined {
  const location = headers.get('location')
  if (status === undefined || location === undefined) return undefined
  const others = new Map([...headers].filter(([name]) => name !== 'location'))
  return { kind: 'redirect', location, status, headers: others }
}

/** `continue` routes can set the status and the location that make a redirect of whatever comes after. */
export const redirectPending = <Target>(state: RoutingState): RouteOutcome<Target> | undefined =>
  isRedirect(state.status) ? redirectByHeader<Target>(state) : undefined

const isRedirect = (status: number | undefined): status is number =>
  status !== undefined && status >= 300 && status <= 399

/** For a request that may do no more work. */
export const exhausted = ({ compiled }: WorkMeter): ReturnType<typeof refused> =>
  refused(compiled === undefined ? 'too-costly' : 'not-compiled')

export const refused = (reason: Refusal): { readonly kind: 'refused'; readonly reason: Refusal } => ({
  kind: 'refused',
  reason,
})
