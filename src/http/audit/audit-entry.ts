import { type Endpoint, methodOf, pathOf } from '#contract/endpoint.ts'
import { newId } from '#contract/ids.ts'
import type { Context, Visit } from '#core/access/context.ts'
import type { AuditEntry } from '#core/audit/audit.ts'

/** What the placeholders of an endpoint stood for, as far as it is no credential. */
const SECRET = new Set(['code', 'token'])
const LONGEST = 256
const MOST_NAMES = 20

const OF_A_TEAM = /^(?:\/v\d+)?\/teams\/:id(?:\/|$)/

/** Whether what an endpoint does is remembered. Files are not: they change nothing until they are deployed. */
export const isAudited = (row: Endpoint): boolean =>
  methodOf(row) !== 'GET' && row.access.kind !== 'public' && row.limit !== 'upload'

interface AuditedRequest extends Pick<Visit, 'requestId' | 'at' | 'ip' | 'userAgent'> {
  readonly params: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** The fields of a body that say which thing is meant, by what is created or changed. Values never are among them. */
const NAMED: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^POST \S*\/(?:projects|secrets|deployments|tokens|log-drains|applications|ensure-project)$/, ['name']],
  [/^POST \S*\/domains(?:\/buy)?$/, ['name']],
  [/^PATCH \S*\/(?:projects|secrets)\/:\w+$/, ['name']],
  [/^(?:POST|PATCH) \S*\/teams(?:\/:id)?$/, ['slug']],
  [/^(?:POST|PATCH) \S*\/(?:members|invitations)(?:\/:userId)?$/, ['email', 'role']],
  [/^POST \S*\/aliases$/, ['alias']],
  [/^POST \S*\/git\/connections$/, ['kind', 'url']],
  [/^POST \S*\/git\/apps$/, ['url']],
  [/^POST \S*\/git\/inspect$/, ['repository']],
  [/^(?:POST|PUT|PATCH) \S*\/env(?:\/:id)?$/, ['key']],
]

/** What a body calls the thing that it is about. */
function namesIn({ on }: Endpoint, body: unknown): Record<string, string> {
  const fields = NAMED.find(([pattern]) => pattern.test(on))?.[1] ?? []
  const bodies = (Array.isArray(body) ? body.slice(0, MOST_NAMES) : [body]).filter(
    (each): each is Record<string, unknown> => typeof each === 'object' && each !== null,
  )
  return Object.fromEntries(
    fields.flatMap((field) => {
      const names = bodies.map((each) => each[field]).filter((name) => typeof name === 'string')
      return names.length === 0 ? [] : [[field, names.join(', ')]]
    }),
  )
}

type Who = Pick<AuditEntry, 'ownerId' | 'userId' | 'via'>

/** Who asks for what, and from where. Of what they send along, names alone: the rest may be secret. */
export function auditEntry(row: Endpoint, who: Who, request: AuditedRequest): AuditEntry {
  const target = Object.entries({ ...namesIn(row, request.body), ...request.params })
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
