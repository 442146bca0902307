import { type Endpoint, methodOf, pathOf } from '#contract/endpoint.ts'
import { newId } from '#contract/ids.ts'
import type { Context } from '#core/access/context.ts'
import type { AuditEntry } from '#core/audit/audit.ts'

/** What the placeholders of an endpoint stood for, as far as it opens no doors. */
const SECRET = new Set(['code', 'token'])
const LONGEST = 256

const OF_A_TEAM = /^(?:\/v\d+)?\/teams\/:id(?:\/|$)/

/** Whether what an endpoint does is remembered. Files are not: they change nothing until they are deployed. */
export const isAudited = (row: Endpoint): boolean =>
  methodOf(row) !== 'GET' && row.access.kind !== 'public' && row.limit !== 'upload'

export interface AuditedRequest {
  readonly id: string
  readonly ip: string
  readonly userAgent: string
  readonly params: Readonly<Record<string, string>>
}

/** Who asks for what, and from where. Nothing of what they send along: it may be secret. */
export function auditEntryOf(row: Endpoint, ctx: Context, request: AuditedRequest, at: number): AuditEntry {
  const { user, token, installation } = ctx.actor
  const target = Object.entries(request.params)
    .filter(([name]) => !SECRET.has(name))
    .map(([name, value]) => [name, value.slice(0, LONGEST)])
  return {
    id: newId.audit(),
    // A team that is changed itself is named in the path.
    ownerId: OF_A_TEAM.test(pathOf(row)) ? (request.params.id ?? ctx.owner.id) : ctx.owner.id,
    at,
    userId: user.id,
    via: {
      kind: installation ? 'integration' : token.kind,
      id: installation?.id ?? token.id,
      name: token.name,
    },
    action: row.on,
    target: Object.fromEntries(target),
    ip: request.ip,
    userAgent: request.userAgent.slice(0, LONGEST),
    requestId: request.id,
  }
}
