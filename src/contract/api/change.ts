import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'

/**
 * What a client may be told of. Each kind stands for what there is to ask again:
 * - `deployment`: it was made, is in another state, or is gone; its aliases were assigned
 * - `project`: its settings, its production deployment, pauses, transfers
 * - `env`: variables of a project; `secret`: secrets of the account
 * - `alias`: which host shows which deployment
 * - `project-domain`: domains of projects, with what is known of them; `domain`, `dns-record`, `certificate`
 * - `cron`: schedules of a project, and their runs
 * - `team`: its name, its settings; `member`: who is in it, invitations and requests
 * - `webhook`, `drain`; `delivery`: an event is to be told to a webhook, or was
 * - `push`: one came, or something became of it; `git-connection`: accounts at Git hosts
 * - `integration`: installations of the account; `application`: what its people made for others to install
 * - `user`, `token`, `session`: of the person who listens, and nobody else
 * - `audit`: there is more in the audit log
 */
export const CHANGE_KINDS = [
  'deployment',
  'project',
  'env',
  'secret',
  'alias',
  'project-domain',
  'domain',
  'dns-record',
  'certificate',
  'cron',
  'team',
  'member',
  'webhook',
  'delivery',
  'drain',
  'push',
  'git-connection',
  'integration',
  'application',
  'user',
  'token',
  'session',
  'audit',
] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** The `data` of an event named `change`. */
export const ChangeSchema = Type.Object({
  kind: Type.Enum(CHANGE_KINDS),
  id: Type.Optional(
    Type.String({ description: 'Id of what changed, or the name of a domain; absent if several changed.' }),
  ),
  projectId: Type.Optional(
    Type.String({ description: 'The project it belongs to; absent if there is none, or several.' }),
  ),
})
export type Change = Static<typeof ChangeSchema>

/** The `data` of the first event, named `hello`. Whoever hears it asks for everything again. */
export const HelloSchema = Type.Object({
  ownerId: Type.String({ description: 'The account whose changes are reported.' }),
  kinds: Type.Array(Type.Enum(CHANGE_KINDS), {
    description: 'The kinds of changes that the client receives.',
  }),
})
export type Hello = Static<typeof HelloSchema>

export const followChanges = endpoint({
  on: 'GET /v1/changes',
  summary: 'Follow changes in the account as server-sent events',
  description: [
    'The stream starts with a `hello` event, followed by one `change` event per change.',
    'A change says what was modified, not its new value: `{"kind":"deployment","id":"dpl_…","projectId":"prj_…"}`.',
    'Several changes of the same thing can be reported as one, so short-lived states may be missed.',
    `The kinds are ${CHANGE_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`,
    'Applications receive changes that their scopes allow, in the projects they can access.',
    'Changes that happen while no client is connected are not repeated: after `hello`, read everything once.',
    'The stream ends when the client loses access or does not keep up. Reconnect then.',
    'A person can have 32 streams at once and an account 200, counted per serving process; beyond that the response is 429.',
  ].join('\n'),
  access: needs(),
  teamBySlug: true,
  reply: 'raw',
})
