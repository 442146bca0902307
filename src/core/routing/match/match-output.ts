import { matchPattern, type Subject, toSubject } from '../pattern/pattern.ts'
import type { OutputHandle } from '../route.ts'
import type { OutputPhases, OutputRule, RouteTable } from '../route-table.ts'
import { findTarget, type Site } from '../site.ts'
import { resolveDestination } from '../url/destination.ts'
import { mergeQuery } from '../url/query.ts'
import { decodePath, encodeRawText } from '../url/request-path.ts'
import type { Groups } from '../url/template.ts'
import type { UrlParts } from '../url/url-template.ts'
import { type Condition, checkCondition } from './condition.ts'
import type { HeaderRule } from './header-rule.ts'
import { preferredLocation } from './locale.ts'
import { factsOf, type RequestFacts } from './request-facts.ts'
import type { Continuation, HeaderTransform, Refusal, RouteMatches, RouteOutcome } from './route-outcome.ts'
import type { RoutedRequest } from './routed-request.ts'
import {
  addHeaders,
  exhausted,
  forgetCachingFor,
  forgetFile,
  leaveSite,
  NO_HEADERS,
  type RoutingState,
  refused,
  rewrite,
  setHeader,
  setOut,
} from './routing-state.ts'
import { type Candidates, candidatesFor, nextCandidate } from './rule-index.ts'
import { expandTransform, transformQuery } from './transform.ts'

/**
 * Finds what a request gets from a build output. The rules before any handle come first, then the site is searched,
 * then follow the rules of `filesystem`, `rewrite` and `resource`. Whenever a path is not there, the rules of `miss`
 * have a try, and after a rewrite that is checked also those of `rewrite`. Whatever is found gets the headers of
 * `hit`, and an error the page that `error` has for it.
 */
export function matchOutput<Target>(
  phases: OutputPhases,
  request: RoutedRequest,
  site: Site<Target>,
): RouteOutcome<Target> {
  return travel(embark(phases, request, site), 0)
}

/**
 * What a visitor gets when a request came to an error, such as 500 after a function failed: the page that the routes
 * of the build output have for it. Without one, the outcome is `not-found` for 404 and `empty` for any other status.
 */
export function matchError<Target>(
  table: RouteTable,
  request: RoutedRequest,
  status: number,
  site: Site<Target>,
): RouteOutcome<Target> {
  return table.output === undefined
    ? errorWithoutPage(setOut(request), status)
    : fail(embark(table.output, request, site), status)
}

/** A request on its way through a build output. */
interface Trip<Target> extends RoutingState {
  readonly phases: OutputPhases
  readonly site: Site<Target>
  readonly request: RoutedRequest
  facts: RequestFacts
  /** Those that have been asked; each is asked once. */
  middlewares: readonly string[]
  routeMatches: RouteMatches | undefined
  transforms: readonly HeaderTransform[]
  /** The phases that are run for a path that is not there, and are not entered twice. */
  readonly within: { miss: boolean; rewrite: boolean; error: boolean }
}

type PhaseName = OutputHandle | 'start'
type Step<Target> = RouteOutcome<Target> | 'next-rule' | 'next-phase'

/** What a rule costs that is tried and does not match, in steps of the regex engine. */
const RULE_WORK = 8
/** What one costs that matches, with the look at the site that it may lead to. */
const MATCH_WORK = 100
const HEADER_WORK = 16

const embark = <Target>(phases: OutputPhases, request: RoutedRequest, site: Site<Target>): Trip<Target> => ({
  ...setOut(request),
  phases,
  site,
  request,
  facts: factsOf(request),
  middlewares: [],
  routeMatches: undefined,
  transforms: [],
  within: { miss: false, rewrite: false, error: false },
})

/** From a place among the rules before any handle to the end. */
function travel<Target>(trip: Trip<Target>, from: number): RouteOutcome<Target> {
  return (
    runPhase(trip, 'start', from) ??
    serve(trip) ??
    miss(trip) ??
    runPhase(trip, 'filesystem') ??
    serve(trip) ??
    tryRewrites(trip) ??
    runPhase(trip, 'resource') ??
    giveUp(trip)
  )
}

function runPhase<Target>(trip: Trip<Target>, name: PhaseName, from = 0): RouteOutcome<Target> | undefined {
  const { rules, index } = trip.phases[name]
  if (rules.length === 0) return undefined
  let tried: Subject | undefined
  let candidates: Candidates = []
  for (let place: number | undefined = from - 1; place !== undefined; ) {
    trip.subject ??= toSubject(trip.path)
    if (tried !== trip.subject) {
      tried = trip.subject
      candidates = candidatesFor(index, tried.folded)
    }
    place = nextCandidate(candidates, place + 1)
    const rule = place === undefined ? undefined : rules[place]
    if (rule === undefined || place === undefined) return undefined
    const groups = matchRule(rule, tried, trip)
    if (trip.meter.left < 0) return exhausted(trip.meter)
    if (groups === undefined || (name === 'error' && !isForStatus(rule, trip.status))) continue
    const next = applyRule(rule, groups, trip, name, place)
    if (next === 'next-phase') return undefined
    if (next !== 'next-rule') return next
  }
  return undefined
}

const isForStatus = (rule: OutputRule, status: number | undefined): boolean =>
  rule.status === undefined || rule.status === status

/** What the groups captured if everything that the rule asks for is there. */
function matchRule<Target>(rule: OutputRule, subject: Subject, trip: Trip<Target>): Groups | undefined {
  trip.meter.left -= RULE_WORK
  if (rule.methods !== undefined && !rule.methods.includes(trip.method)) return undefined
  // Most rules that look at headers are for a few requests, and looking there is cheaper than matching the path.
  const holds = (condition: Condition) => checkCondition(condition, trip.facts, trip.query, trip.meter)
  const captured: (string | undefined)[] = []
  for (const condition of rule.has) {
    const groups = holds(condition)
    if (groups === undefined) return undefined
    if (rule.refersBeyond) captured.push(...groups)
  }
  if (rule.missing.some((condition) => holds(condition) !== undefined)) return undefined
  const groups = matchPattern(rule.pattern, subject, trip.meter)
  return groups && rule.refersBeyond ? beyond(groups, subject.text, captured) : groups
}

/** The groups of `src`, the whole match after the nine that have a digit, then those of the conditions. */
const beyond = (groups: Groups, whole: string, captured: Groups): Groups => [
  ...groups,
  ...Array<undefined>(Math.max(0, 9 - groups.length)).fill(undefined),
  whole,
  ...captured,
]

function applyRule<Target>(
  rule: OutputRule,
  groups: Groups,
  trip: Trip<Target>,
  phase: PhaseName,
  place: number,
): Step<Target> {
  if (rule.middlewarePath !== undefined) return askMiddleware(rule.middlewarePath, trip, place)
  const location = rule.locale && preferredLocation(rule.locale, trip.facts, [trip.path, trip.request.path])
  if (location !== undefined)
    return { kind: 'redirect', location: withQuery(location, trip), status: 307, headers: trip.headers }

  const before = phase === 'miss' && rule.checks ? stateOf(trip) : undefined
  trip.meter.left -= MATCH_WORK + HEADER_WORK * (rule.headers.length + rule.transforms.length)
  const refusal =
    phase === 'miss' ? addNewHeaders(rule.headers, groups, trip) : addHeaders(rule.headers, groups, trip)
  if (refusal !== undefined) return refused(refusal)
  forgetCachingFor(rule, trip)
  const refusedTransform = transform(rule, groups, trip)
  if (refusedTransform !== undefined) return refused(refusedTransform)
  const to = rule.destination && resolveDestination(rule.destination, groups)
  if (rule.destination !== undefined && to === undefined) return refused('unsafe')
  trip.status = rule.status ?? trip.status
  if (to !== undefined) trip.routeMatches = matchesOf(rule, groups)

  const left = leave(trip, rule, to)
  if (left !== undefined) return left
  rewrite(trip, to)
  if (rule.continues) return 'next-rule'
  const error = rule.status !== undefined && rule.status >= 400 ? rule.status : undefined
  // With an error to fall back on, nothing but the path itself is looked for.
  if (rule.checks && error !== undefined) return serve(trip) ?? miss(trip) ?? fail(trip, error)
  // What is missing is looked for under another path, and stays what it was if it is not there either.
  if (before !== undefined) {
    const found = serve(trip)
    if (found === undefined) Object.assign(trip, before)
    return found ?? 'next-rule'
  }
  if (rule.checks) return serve(trip) ?? miss(trip) ?? tryRewrites(trip) ?? 'next-rule'
  if (to !== undefined) return serve(trip) ?? miss(trip) ?? giveUp(trip, error)
  // A rule without destination and status only sets headers and ends its phase; the files may follow.
  if (rule.status === undefined) return 'next-phase'
  return error === undefined
    ? { kind: 'empty', status: rule.status, headers: trip.headers }
    : fail(trip, error)
}

const matchesOf = (
  { pattern: { groupCount, names } }: OutputRule,
  groups: Groups,
): RouteMatches | undefined => (groupCount === 0 ? undefined : { groups: groups.slice(0, groupCount), names })

/** A redirect or a request to another host. The visitor's query goes along. */
function leave<Target>(
  trip: Trip<Target>,
  rule: OutputRule,
  to: UrlParts | undefined,
): RouteOutcome<Target> | undefined {
  const left = leaveSite<Target>(trip, rule, to)
  if (left?.kind === 'proxy') return { ...left, ...transformsOf(trip) }
  if (left?.kind !== 'redirect' || !trip.headers.has('location')) return left
  return { ...left, location: withQuery(left.location, trip) }
}

function withQuery(location: string, trip: RoutingState): string {
  const [, address = '', query = '', fragment = ''] = LOCATION.exec(location) ?? []
  const merged = mergeQuery(encodeRawText(trip.query), query)
  return `${address}${merged === '' ? '' : `?${merged}`}${fragment}`
}

const LOCATION = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/

function askMiddleware<Target>(middlewarePath: string, trip: Trip<Target>, place: number): Step<Target> {
  if (trip.middlewares.includes(middlewarePath)) return 'next-rule'
  const paused: Trip<Target> = { ...trip, middlewares: [...trip.middlewares, middlewarePath] }
  return {
    kind: 'middleware',
    middlewarePath,
    path: trip.path,
    query: trip.query,
    headers: trip.headers,
    ...transformsOf(trip),
    resume: (continuation) => resume(paused, place, continuation),
  }
}

function resume<Target>(
  paused: Trip<Target>,
  place: number,
  { rewrite: url, headers, header }: Continuation,
): RouteOutcome<Target> {
  const trip: Trip<Target> = {
    ...paused,
    headers: paused.headers === NO_HEADERS ? NO_HEADERS : new Map(paused.headers),
    // A middleware takes its time: what was compiled before it has held up nobody since.
    meter: { left: paused.meter.left + (paused.meter.compiled ?? 0) },
    within: { ...paused.within },
  }
  for (const [name, value] of headers ?? []) {
    const refusal = setHeader(trip, name, value)
    if (refusal !== undefined) return refused(refusal)
  }
  if (header !== undefined) trip.facts = factsOf({ ...trip.request, header })
  return (url === undefined ? undefined : rewriteTo(trip, url)) ?? travel(trip, place + 1)
}

/** An outcome if the URL is of another host. */
function rewriteTo<Target>(trip: Trip<Target>, given: string): RouteOutcome<Target> | undefined {
  const isPath = given.startsWith('/') && !given.startsWith('//')
  const url = URL.parse(given, 'http://localhost')
  if (url === null || !/^https?:$/.test(url.protocol)) return refused('unsafe')
  if (!isPath && url.hostname !== trip.facts.host) {
    url.hash = ''
    return {
      kind: 'proxy',
      url: url.href,
      status: trip.status,
      headers: trip.headers,
      ...transformsOf(trip),
    }
  }
  trip.path = decodePath(url.pathname)
  trip.query = url.search.slice(1)
  trip.subject = undefined
  return undefined
}

const transformsOf = <Target>({ transforms }: Trip<Target>) => (transforms.length === 0 ? {} : { transforms })

function transform<Target>(
  { transforms }: OutputRule,
  groups: Groups,
  trip: Trip<Target>,
): Refusal | undefined {
  for (const rule of transforms) {
    if (rule.of === 'query') {
      trip.meter.left -= trip.query.length
      if (trip.meter.left < 0) return exhausted(trip.meter).reason
      const query = transformQuery(trip.query, rule, groups)
      // A value gets too long.
      if (query === undefined || query.length > MAX_QUERY) return 'unsafe'
      trip.query = query
      continue
    }
    const expanded = expandTransform(rule, rule.of, groups)
    if (expanded === undefined || trip.transforms.length > MAX_TRANSFORMS) return 'unsafe'
    trip.transforms = [...trip.transforms, ...expanded]
  }
  return undefined
}

const MAX_QUERY = 32_768
const MAX_TRANSFORMS = 200

function serve<Target>(trip: Trip<Target>): RouteOutcome<Target> | undefined {
  const found = findTarget(trip.site, trip.path)
  if (found === undefined) return undefined
  const refusal = hit(trip, found.foundAt)
  if (refusal !== undefined) return refusal
  const { path, query, status, headers, routeMatches } = trip
  return {
    kind: 'serve',
    ...found,
    path,
    query,
    status,
    headers,
    ...(routeMatches && { routeMatches }),
    ...transformsOf(trip),
  }
}

/** Adds the headers for what was found. */
function hit<Target>(trip: Trip<Target>, foundAt: string): RouteOutcome<Target> | undefined {
  const { rules, index } = trip.phases.hit
  if (rules.length === 0) return undefined
  const subject = toSubject(foundAt)
  const candidates = candidatesFor(index, subject.folded)
  for (
    let place = nextCandidate(candidates, 0);
    place !== undefined;
    place = nextCandidate(candidates, place + 1)
  ) {
    const rule = rules[place]
    const groups = rule && matchRule(rule, subject, trip)
    if (trip.meter.left < 0) return exhausted(trip.meter)
    if (rule === undefined || groups === undefined) continue
    const add = rule.isImportant ? addHeaders : addNewHeaders
    const refusal = add(rule.headers, groups, trip)
    if (refusal !== undefined) return refused(refusal)
    if (!rule.continues) break
  }
  return undefined
}

/** Leaves alone what an earlier rule set. */
const addNewHeaders = (
  rules: readonly HeaderRule[],
  groups: Groups,
  state: RoutingState,
): Refusal | undefined =>
  addHeaders(
    rules.filter(({ name }) => !state.headers.has(name)),
    groups,
    state,
  )

const miss = <Target>(trip: Trip<Target>): RouteOutcome<Target> | undefined => attempt(trip, 'miss')
const tryRewrites = <Target>(trip: Trip<Target>): RouteOutcome<Target> | undefined => attempt(trip, 'rewrite')

/** Runs a phase for a path that is not there. If it finds nothing, all is as it was before. */
function attempt<Target>(trip: Trip<Target>, name: 'miss' | 'rewrite'): RouteOutcome<Target> | undefined {
  if (trip.within[name] || trip.phases[name].rules.length === 0) return undefined
  const before = stateOf(trip)
  trip.within[name] = true
  const outcome = runPhase(trip, name) ?? (trip.path === before.path ? undefined : serve(trip))
  trip.within[name] = false
  if (outcome !== undefined) return outcome
  Object.assign(trip, before)
  return undefined
}

/** What rules may change, to be given back where they lead nowhere. */
function stateOf<Target>(trip: Trip<Target>) {
  const { path, query, subject, status, headers, headerSize, routeMatches, transforms } = trip
  trip.meter.left -= headers.size
  if (headers !== NO_HEADERS) trip.headers = new Map(headers)
  return { path, query, subject, status, headers, headerSize, routeMatches, transforms }
}

function giveUp<Target>(trip: Trip<Target>, error?: number): RouteOutcome<Target> {
  const { path, status, headers } = trip
  const pending = status !== undefined && status >= 400 ? status : undefined
  if (error === undefined && pending === undefined && trip.site.hasListing?.(path))
    return { kind: 'listing', path, status, headers }
  if (error === undefined && pending === undefined) forgetFile(trip)
  return fail(trip, error ?? pending ?? 404)
}

/** The page for an error, found by the path that the visitor asked for. */
function fail<Target>(trip: Trip<Target>, status: number): RouteOutcome<Target> {
  if (trip.within.error) return errorWithoutPage(trip, status)
  trip.within.error = true
  trip.path = trip.request.path
  trip.query = trip.request.query
  trip.subject = undefined
  trip.status = status
  trip.routeMatches = undefined
  return runPhase(trip, 'error') ?? errorWithoutPage(trip, status)
}

const errorWithoutPage = <Target>(
  { path, query, headers }: RoutingState,
  status: number,
): RouteOutcome<Target> =>
  status === 404 ? { kind: 'not-found', path, query, headers } : { kind: 'empty', status, headers }
