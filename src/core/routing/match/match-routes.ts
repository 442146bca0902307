import { matchPattern, type Subject, toSubject } from '../pattern/pattern.ts'
import type { Phase, RouteTable, Rule } from '../route-table.ts'
import { findTarget, type Site } from '../site.ts'
import { resolveDestination } from '../url/destination.ts'
import type { Groups } from '../url/template.ts'
import { matchOutput } from './match-output.ts'
import type { RouteOutcome } from './route-outcome.ts'
import type { RoutedRequest } from './routed-request.ts'
import {
  addHeaders,
  exhausted,
  forgetCachingFor,
  forgetFile,
  leaveSite,
  type RoutingState,
  redirectPending,
  refused,
  rewrite,
  setOut,
} from './routing-state.ts'
import { type Candidates, candidatesFor, nextCandidate } from './rule-index.ts'

export type { RoutedRequest } from './routed-request.ts'

/** Finds what a request gets: routes in order, files where the table says so, and at the end of the routes. */
export function matchRoutes<Target>(
  table: RouteTable,
  request: RoutedRequest,
  site: Site<Target>,
): RouteOutcome<Target> {
  if (table.output !== undefined) return matchOutput(table.output, request, site)
  const state = setOut(request)
  for (const phase of table.phases) {
    const served = phase.handle === 'filesystem' ? serve(state, site) : undefined
    const outcome = served ?? runPhase(phase, state, site)
    if (outcome !== undefined) return outcome
  }
  return serveOrMiss(state, site)
}

type Step<Target> = RouteOutcome<Target> | 'next-rule' | 'next-phase'

function runPhase<Target>(
  { rules, index }: Phase,
  state: RoutingState,
  site: Site<Target>,
): RouteOutcome<Target> | undefined {
  if (rules.length === 0) return undefined
  let tried: Subject | undefined
  let candidates: Candidates = []
  for (let place: number | undefined = -1; place !== undefined; ) {
    state.subject ??= toSubject(state.path)
    if (tried !== state.subject) {
      tried = state.subject
      candidates = candidatesFor(index, tried.folded)
    }
    place = nextCandidate(candidates, place + 1)
    const rule = place === undefined ? undefined : rules[place]
    const next = rule && tryRule(rule, tried, state, site)
    if (next === 'next-phase') return undefined
    if (next !== undefined && next !== 'next-rule') return next
  }
  return undefined
}

function tryRule<Target>(
  rule: Rule,
  subject: Subject,
  state: RoutingState,
  site: Site<Target>,
): Step<Target> {
  if (rule.methods !== undefined && !rule.methods.includes(state.method)) return 'next-rule'
  const groups = matchPattern(rule.pattern, subject, state.meter)
  if (state.meter.left < 0) return exhausted(state.meter)
  return groups === undefined ? 'next-rule' : applyRule(rule, groups, state, site)
}

function applyRule<Target>(
  rule: Rule,
  groups: Groups,
  state: RoutingState,
  site: Site<Target>,
): Step<Target> {
  const refusal = addHeaders(rule.headers, groups, state)
  if (refusal !== undefined) return refused(refusal)
  forgetCachingFor(rule, state)
  const to = rule.destination && resolveDestination(rule.destination, groups)
  if (rule.destination !== undefined && to === undefined) return refused('unsafe')
  state.status = rule.status ?? state.status

  if (rule.continues) {
    rewrite(state, to)
    return 'next-rule'
  }
  const left = leaveSite<Target>(state, rule, to)
  if (left !== undefined) return left
  rewrite(state, to)
  if (rule.checks) return serve(state, site) ?? 'next-rule'
  if (to !== undefined) return serveOrMiss(state, site)
  // A rule without destination and status only sets headers and ends its phase; the files may follow.
  if (rule.status === undefined) return 'next-phase'
  return { kind: 'empty', status: rule.status, headers: state.headers }
}

function serve<Target>(state: RoutingState, site: Site<Target>): RouteOutcome<Target> | undefined {
  const found = findTarget(site, state.path)
  if (found === undefined) return undefined
  const { path, query, status, headers } = state
  return redirectPending<Target>(state) ?? { kind: 'serve', ...found, path, query, status, headers }
}

function serveOrMiss<Target>(state: RoutingState, site: Site<Target>): RouteOutcome<Target> {
  const outcome = serve(state, site) ?? redirectPending(state)
  if (outcome !== undefined) return outcome
  const { path, query, status, headers } = state
  if (site.hasListing?.(path)) return { kind: 'listing', path, status, headers }
  // An error that a rule asked for stays that error when its page is missing.
  if (status !== undefined && status >= 400 && status !== 404) return { kind: 'empty', status, headers }
  if (status === undefined) forgetFile(state)
  return { kind: 'not-found', path, query, headers: state.headers }
}
