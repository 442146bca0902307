import { Type } from 'typebox'
import { MOST_VARIABLES_AT_ONCE } from '#contract/api/env-variable.ts'
import { type Endpoint, methodOf, pathOf } from '#contract/endpoint.ts'
import { authorise } from '#core/access/authorise.ts'
import type { Context } from '#core/access/context.ts'
import type { Deployments } from '#core/deployment/deployments.ts'
import type { ProjectDomains } from '#core/project-domain/project-domains.ts'
import type { Teams } from '#core/team/teams.ts'
import { compileValidate } from '../request/validate.ts'
import type { Route } from '../route.ts'
import { type CompatContext, type CompatRequest, type CompatRow, expand, type PartialRequest } from './row.ts'
import { ROWS } from './rows.ts'

/** Whatever the row makes: its shape is that of other clients, which this API does not describe. */
const ANYTHING = Type.Unsafe<unknown>({})

/**
 * What a row is given to read. The endpoint checks what it makes of that, which is too late for a text or a list of millions: rows
 * look at every item. None of the lists that clients send is longer than those of this API.
 */
const ANY_BODY = Type.Unsafe<unknown>({ type: ['object', 'array'], maxItems: MOST_VARIABLES_AT_ONCE })

/** The same endpoint, whatever its parameters are called. */
const shapeOf = (on: string): string => on.replace(/:[A-Za-z]+/g, ':')

interface CompatParts {
  readonly site: string
  readonly deployments: Pick<Deployments, 'find' | 'findAll'>
  readonly projectDomains: Pick<ProjectDomains, 'findByName'>
  readonly teams: Pick<Teams, 'roles'>
}

/** The API, and beside it the addresses that other clients know. */
export function withCompatRoutes(native: readonly Route[], parts: CompatParts): readonly Route[] {
  const taken = new Set(native.map(({ endpoint }) => shapeOf(endpoint.on)))
  const add = (route: Route): Route[] => {
    const shape = shapeOf(route.at ?? '')
    if (taken.has(shape)) return []
    taken.add(shape)
    return [route]
  }
  const call = createCall(native)
  const filled = new Map(ROWS.filter(({ on, is }) => on === is.on).map((row) => [row.on, row]))
  return [
    ...native.map((route) => {
      const row = filled.get(route.endpoint.on)
      return row ? bind(row, row.on, call, parts) : route
    }),
    ...ROWS.flatMap((row) => expand(row.on).map((at) => bind(row, at, call, parts))).flatMap(add),
    ...native.flatMap(renamed).flatMap(add),
  ]
}

/** Clients of the time before say `now` where this API says `platform`; later ones say neither. */
function renamed({ endpoint, handle }: Route): readonly Route[] {
  const path = pathOf(endpoint)
  if (!/^(?:\/v\d+)?\/platform\//.test(path)) return []
  const bySlug = { ...endpoint, teamBySlug: true }
  const at = (word: string): Route => ({
    endpoint: bySlug,
    handle,
    at: `${methodOf(endpoint)} ${path.replace('/platform/', word)}`,
  })
  return path.startsWith('/platform/') ? [at('/now/')] : [at('/now/'), at('/')]
}

type Call = (ctx: Context, endpoint: Pick<Endpoint, 'on'>, given: PartialRequest) => Promise<unknown>

/** Asks an endpoint as if the request had come for it: whoever asks has to be allowed, and what is asked has to be right. */
function createCall(native: readonly Route[]): Call {
  const known = new Map(
    native.map((route) => {
      const { endpoint } = route
      const { query, body } = endpoint
      return [
        endpoint.on,
        {
          ...route,
          checkQuery: query === undefined ? undefined : compileValidate('querystring', query, endpoint),
          checkBody:
            body === undefined || body === 'raw' ? undefined : compileValidate('body', body, endpoint),
        },
      ]
    }),
  )
  return async (ctx, { on }, { params = {}, query = {}, body, headers = {} }) => {
    const found = known.get(on)
    if (found === undefined) throw new Error(`there is no endpoint ${on}`)
    const { endpoint, handle, checkQuery, checkBody } = found
    if (endpoint.access.kind !== 'public') authorise(endpoint, ctx.actor, ctx.owner)
    const checked = { ...query }
    checkQuery?.(checked)
    await checkBody?.(body ?? {})
    return handle(ctx, { params, query: checked, body: checkBody ? (body ?? {}) : body, headers } as never)
  }
}

function bind(
  { is, read, show, answer, status, raw = false }: CompatRow,
  at: string,
  call: Call,
  { site, deployments, projectDomains, teams }: CompatParts,
): Route {
  const { query: _query, body, streamed: _streamed, ...endpoint } = is
  const changes = read !== undefined || show !== undefined || answer !== undefined
  const plainReply = raw || (show === undefined && answer === undefined)
  return {
    at,
    endpoint: changes
      ? {
          ...endpoint,
          ...(body === undefined ? {} : { body: body === 'raw' ? body : ANY_BODY }),
          ...(plainReply ? { streamed: is.streamed ?? false } : { reply: ANYTHING }),
          ...(status === undefined ? {} : { status }),
          teamBySlug: true,
        }
      : { ...is, teamBySlug: true },
    async handle(who, input) {
      const ctx = who as Context
      const asked = input as unknown as CompatRequest
      const also: CompatContext = {
        asked,
        ctx,
        site,
        findDeployment: (id) => deployments.find(ctx, id, 'read'),
        async findDeployments(ids) {
          const found = await deployments.findAll(ctx, ids)
          return new Map(found.map((deployment) => [deployment.id, deployment]))
        },
        findProjectDomain: (name) => projectDomains.findByName(ctx, name),
        rolesIn: (ids) => teams.roles(ctx, ids),
        call: (other, given = {}) => call(ctx, other, given) as never,
      }
      if (answer) return answer(also)
      const made = await call(ctx, is, { ...asked, ...(await read?.(asked, also)) })
      return show ? show(made, also) : made
    },
  }
}
