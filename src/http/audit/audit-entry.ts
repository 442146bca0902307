import { type Endpoint, methodOf, pathOf } from '#contract/endpoint.ts'
import { newId } from '#contract/ids.ts'
import type { Context, Visit } from '#core/access/context.ts'
import type { AuditEntry } from '#core/audit/audit.ts'

/** What the placeholders of an endpoint stood for, as far as it is no credential. */
const SECRET = new Set(['code', 'token'])
const LONGEST = 256

const OF_A_TEAM = /^(?:\/v\d+)?\/teams\/:id(?:\/|$)/

/** Whether what an endpoint does is remembered. Files are not: they change nothing until they are deployed. */
export const isAudited = (row: Endpoint): boolean =>
  methodOf(row) !== 'GET' && row.access.kind !== 'public' && row.limit !== 'upload'

export interface AuditedRequest extends Pick<Visit, 'requestId' | 'at' | 'ip' | 'userAgent'> {
  readonly params: Readonly<Record<string, string>>
}

type Who = Pick<AuditEntry, 'ownerId' | 'userId' | 'via'>

/** Who asks for what, and from where. Nothing of what they send along: it may be secret. */
export function auditEntry(row: Endpoint, who: Who, request: AuditedRequest): AuditEntry {
  const target = Object.entries(request.params)
    .filter(([name]) => !SECRET.has(name))
    .map(([name, value]) => [name, value.slice(0, LONGEST)])
  return {
    id: newId.audit(),
    ...who,
    at: request.at,
    action: row.on,
    target: Object.fromEntries(target),
    ip: request.ip,
    userAgent: request.userAgent.slice(0, LONGEST),
    requestId: request.requestId,
  }
}

/** Of somebody whom the endpoint itself has let in. */
export const auditEntryOf = (
  row: Endpoint,
  { owner, actor: { user, token, installation } }: Context,
  request: AuditedRequest,
): AuditEntry =>
  auditEntry(
    row,
    {
      // A team that is changed itself is named in the path.
      ownerId: OF_A_TEAM.test(pathOf(row)) ? (request.params.id ?? owner.id) : owner.id,
      userId: user.id,
      via: {
        kind: installation ? 'integration' : token.kind,
        id: installation?.id ?? token.id,
        name: token.name,
      },
    },
    request,
  )
