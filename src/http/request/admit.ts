import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'
import { invalidRequest } from '#contract/errors.ts'
import type { Plan } from '#contract/limit/limits.ts'
import type { Origin } from '#contract/origins.ts'
import {
  authorise,
  type Memberships,
  refuseDisabled,
  resolveOwner,
  type TeamChoice,
} from '#core/access/authorise.ts'
import { type Actor, type Context, personalOwner, type Visit } from '#core/access/context.ts'
import { sourceOf } from '#core/access/network-of.ts'
import { senderOf } from '#core/access/sender.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { Sessions } from '#core/session/sessions.ts'
import type { Tokens } from '#core/token/tokens.ts'
import { type Allowance, type Limits, limitHeaderList, rateLimited, retryAfter } from '../limits.ts'
import { createFindCaller } from '../session/caller.ts'
import { authFailed, readBearer } from './authenticate.ts'
import { RequestLog } from './request-log.ts'

export interface AdmitParts {
  readonly tokens: Tokens
  readonly sessions: Sessions
  readonly teams: Memberships
  readonly limits: Limits
  readonly clock: Clock
  readonly log: Log
  /** `{base_url}`, which our own pages are requested from. */
  readonly site: string
  /** The origin that a host name stands for. */
  readonly originOf: (host: string | undefined) => Origin
  /** The plan that strangers are counted under. */
  readonly defaultPlan: Plan
}

/** Who is it, how much may they ask, may they ask this. */
export function createAdmit(parts: AdmitParts, dataVersion: () => number | undefined) {
  const { limits, clock, log, site } = parts
  const findCaller = createFindCaller(parts.sessions, site)
  const siteIsSecure = site.startsWith('https:')

  return async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { row } = request
    reply.header('x-request-id', request.id)
    const sender = senderOf(request.raw)
    const visit: Visit = {
      requestId: request.id,
      at: clock.now(),
      ip: sender.address,
      userAgent: request.headers['user-agent'] ?? '',
      secure: siteIsSecure || sender.isSecure,
      log: new RequestLog(log, request.id),
    }
    const needsToken = row !== undefined && row.access.kind !== 'public'
    const bearer = needsToken ? readBearer(request.headers) : undefined
    if (row?.keepable && bearer !== undefined && request.method === 'GET') request.readAt = dataVersion()
    let found: Actor | undefined
    let ctx: Context | undefined
    let refusal: unknown
    if (needsToken)
      try {
        found =
          bearer === undefined
            ? await findCaller({ method: request.method, headers: request.headers, secure: visit.secure })
            : await parts.tokens.authenticate(bearer)
      } catch (error) {
        refusal = error
      }
    if (found && row)
      try {
        refuseDisabled(found)
        const team = teamOf(request, row)
        const owner = team ? await resolveOwner(found, team, parts.teams) : personalOwner(found.user)
        ctx = { actor: found, owner, origin: parts.originOf(request.headers.host), log: visit.log }
      } catch (error) {
        // Counted like any other request before it is told.
        refusal = error
      }

    const acts = ctx?.owner ?? found?.user
    const taken = limits.take(row, acts?.id ?? sourceOf(visit.ip), acts?.plan ?? parts.defaultPlan)
    const allowance = taken instanceof Promise ? await taken : taken
    showAllowance(request, reply, allowance, clock)
    if (!allowance.allowed) throw rateLimited(allowance)
    if (!needsToken) {
      request.who = visit
      refuseNul(request)
      return
    }
    if (refusal) throw refusal
    if (!found || !ctx) throw authFailed(bearer)
    authorise(row, ctx.actor, ctx.owner)
    refuseNul(request)
    request.who = ctx
  }
}

export function showAllowance(
  request: FastifyRequest,
  reply: FastifyReply,
  allowance: Allowance,
  clock: Clock,
): void {
  request.allowance = allowance
  const list = limitHeaderList(allowance)
  for (let n = 0; n < list.length; n += 2) reply.header(list[n] as string, list[n + 1])
  if (!allowance.allowed) reply.header('retry-after', retryAfter(allowance, clock))
}

/** The team that a request asks to act for; most ask for none. */
function teamOf(request: FastifyRequest, row: Endpoint): TeamChoice | undefined {
  const query = request.query as Record<string, unknown>
  const teamId = onlyValue(query, 'teamId')
  const slug = row.teamBySlug ? onlyValue(query, 'slug') : undefined
  return teamId === undefined && slug === undefined ? undefined : { teamId, slug }
}

function onlyValue(query: Record<string, unknown>, name: string): string | undefined {
  const value = query[name]
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string') throw invalidRequest(`\`${name}\` is given twice`)
  return value
}

const refuseNul = (request: FastifyRequest): void => {
  if (request.raw.url?.includes('%00')) throw invalidRequest('the URL contains a NUL character')
}
