import { resolveDestination } from './destination.ts'
import { expandHeader } from './header-rule.ts'
import { matchPattern, type Subject, toSubject, type WorkMeter } from './pattern.ts'
import { mergeQuery } from './query.ts'
import { encodePath, encodeRawText } from './request-path.ts'
import type { Refusal, RouteOutcome } from './route-outcome.ts'
import type { Phase, RouteTable, Rule } from './route-table.ts'
import { type Candidates, candidatesFor, nextCandidate } from './rule-index.ts'
import { findTarget, type Site } from './site.ts'
import type { Groups } from './template.ts'
import { toUrl, type UrlParts } from './url-template.ts'

export interface RoutedRequest {
  /** As `decodePath` returns it. */
  readonly path: string
  /** As sent, without the question mark. */
  readonly query: string
  readonly method: string
}

/** Steps of the regex engine for one request, 160 ms of them at the very worst. */
const MAX_WORK = 2_000_000
const MAX_HEADER_SIZE = 32_768

/** Finds what a request gets: routes in order, files where the table says so, and at the end of the routes. */
export function matchRoutes<Target>(
  table: RouteTable,
  request: RoutedRequest,
  site: Site<Target>,
): RouteOutcome<Target> {
  const journey: Journey = {
    method: request.method,
    path: request.path,
    query: request.query,
    subject: undefined,
    status: undefined,
    headers: NO_HEADERS,
    headerSize: 0,
    meter: { left: MAX_WORK },
  }
  for (const phase of table.phases) {
    const served = phase.handle === 'filesystem' ? serve(journey, site) : undefined
    const outcome = served ?? runPhase(phase, journey, site)
    if (outcome !== undefined) return outcome
  }
  return serveOrMiss(journey, site)
}

/** A request on its way through the rules, with what they did to it so far. */
interface Journey {
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

type Step<Target> = RouteOutcome<Target> | 'next-rule' | 'next-phase'

/** Shared by all requests without headers; never written to. */
const NO_HEADERS = new Map<string, string>()

function runPhase<Target>(
  { rules, index }: Phase,
  journey: Journey,
  site: Site<Target>,
): RouteOutcome<Target> | undefined {
  if (rules.length === 0) return undefined
  let tried: Subject | undefined
  let candidates: Candidates = []
  for (let place: number | undefined = -1; place !== undefined; ) {
    journey.subject ??= toSubject(journey.path)
    if (tried !== journey.subject) {
      tried = journey.subject
      candidates = candidatesFor(index, tried.folded)
    }
    place = nextCandidate(candidates, place + 1)
    const rule = place === undefined ? undefined : rules[place]
    const next = rule && tryRule(rule, tried, journey, site)
    if (next === 'next-phase') return undefined
    if (next !== undefined && next !== 'next-rule') return next
  }
  return undefined
}

function tryRule<Target>(rule: Rule, subject: Subject, journey: Journey, site: Site<Target>): Step<Target> {
  if (rule.methods !== undefined && !rule.methods.includes(journey.method)) return 'next-rule'
  const groups = matchPattern(rule.pattern, subject, journey.meter)
  if (journey.meter.left < 0) return refused('too-costly')
  return groups === undefined ? 'next-rule' : applyRule(rule, groups, journey, site)
}

function applyRule<Target>(rule: Rule, groups: Groups, journey: Journey, site: Site<Target>): Step<Target> {
  const refusal = addHeaders(rule, groups, journey)
  if (refusal !== undefined) return refused(refusal)
  const to = rule.destination && resolveDestination(rule.destination, groups)
  if (rule.destination !== undefined && to === undefined) return refused('unsafe')
  journey.status = rule.status ?? journey.status

  if (rule.continues) {
    rewrite(journey, to)
    return 'next-rule'
  }
  const left = leaveSite<Target>(journey, rule, to)
  if (left !== undefined) return left
  rewrite(journey, to)
  if (rule.checks) return serve(journey, site) ?? 'next-rule'
  if (to !== undefined) return serveOrMiss(journey, site)
  // A rule without destination and status only sets headers and ends its phase; the files may follow.
  if (rule.status === undefined) return 'next-phase'
  return { kind: 'empty', status: rule.status, headers: journey.headers }
}

function addHeaders(rule: Rule, groups: Groups, journey: Journey): Refusal | undefined {
  if (rule.headers.length === 0) return undefined
  if (journey.headers === NO_HEADERS) journey.headers = new Map()
  const { headers } = journey
  for (const header of rule.headers) {
    const value = expandHeader(header, groups)
    if (value === undefined) return 'unsafe'
    const replaced = headers.get(header.name)
    journey.headerSize += value.length - (replaced === undefined ? -header.name.length : replaced.length)
    if (journey.headerSize > MAX_HEADER_SIZE) return 'too-large'
    headers.set(header.name, value)
  }
  return undefined
}

function rewrite(journey: Journey, to: UrlParts | undefined): void {
  if (to === undefined) return
  journey.path = to.path
  journey.query = mergeQuery(journey.query, to.query)
  journey.subject = undefined
}

/** A redirect or a request to another host, if the rule comes to that. */
function leaveSite<Target>(
  journey: Journey,
  rule: Rule,
  to: UrlParts | undefined,
): RouteOutcome<Target> | undefined {
  const { status } = journey
  const isAnswer = isRedirect(status) || (rule.status !== undefined && to === undefined)
  const redirected = isAnswer ? redirectByHeader<Target>(journey) : undefined
  if (redirected !== undefined || to === undefined) return redirected
  const query = encodeRawText(mergeQuery(journey.query, to.query))
  if (isRedirect(status)) {
    const path = rule.destination?.isExternal ? to.path : encodePath(to.path)
    return { kind: 'redirect', location: toUrl({ ...to, path, query }), status, headers: journey.headers }
  }
  if (!rule.destination?.isExternal) return undefined
  return { kind: 'proxy', url: toUrl({ ...to, query, fragment: '' }), status, headers: journey.headers }
}

function redirectByHeader<Target>({ status, headers }: Journey): RouteOutcome<Target> | undefined {
  const location = headers.get('location')
  if (status === undefined || location === undefined) return undefined
  const others = new Map([...headers].filter(([name]) => name !== 'location'))
  return { kind: 'redirect', location, status, headers: others }
}

function serve<Target>(journey: Journey, site: Site<Target>): RouteOutcome<Target> | undefined {
  const found = findTarget(site, journey.path)
  if (found === undefined) return undefined
  const { path, query, status, headers } = journey
  return redirectPending<Target>(journey) ?? { kind: 'serve', ...found, path, query, status, headers }
}

function serveOrMiss<Target>(journey: Journey, site: Site<Target>): RouteOutcome<Target> {
  const outcome = serve(journey, site) ?? redirectPending(journey)
  if (outcome !== undefined) return outcome
  const { path, query, status, headers } = journey
  if (site.hasListing?.(path)) return { kind: 'listing', path, status, headers }
  // An error that a rule asked for stays that error when its page is missing.
  if (status !== undefined && status >= 400 && status !== 404) return { kind: 'empty', status, headers }
  return { kind: 'not-found', path, query, headers }
}

/** `continue` routes can set the status and the location that make a redirect of whatever comes after. */
const redirectPending = <Target>(journey: Journey): RouteOutcome<Target> | undefined =>
  isRedirect(journey.status) ? redirectByHeader<Target>(journey) : undefined

const isRedirect = (status: number | undefined): status is number =>
  status !== undefined && status >= 300 && status <= 399

const refused = (reason: Refusal): { readonly kind: 'refused'; readonly reason: Refusal } => ({
  kind: 'refused',
  reason,
})
