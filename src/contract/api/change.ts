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
    Type.String({ description: 'What changed, domains by their name; left out where it was more than one.' }),
  ),
  projectId: Type.Optional(
    Type.String({ description: 'The project that it belongs to; left out where there is none, or several.' }),
  ),
})
export type Change = Static<typeof ChangeSchema>

/** The `data` of the first event, named `hello`. Whoever hears it asks for everything again. */
export const HelloSchema = Type.Object({
  ownerId: Type.String({ description: 'The account whose changes are told.' }),
  kinds: Type.Array(Type.Enum(CHANGE_KINDS), { description: 'What the listener may hear of.' }),
})
export type Hello = Static<typeof HelloSchema>

export const followChanges = endpoint({
  on: 'GET /v1/changes',
  gen: 'current',
  summary: 'Hear that something changed in the account, as it happens, by server-sent events',
  description: [
    'The stream begins with an event `hello` and goes on with one `change` for each thing that changed.',
    'A change says what to ask for again, never what it is now: `{"kind":"deployment","id":"dpl_…","projectId":"prj_…"}`.',
    'What changes many times at once is told once, so a state that lasted for a moment may not be heard of.',
    `The kinds are ${CHANGE_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`,
    'Applications hear of what their scopes let them read, in the projects that they were given.',
    'What is told while nobody listens is not told again: after `hello`, ask for everything once.',
    'The stream ends when whoever listens may not any more, and when they do not keep up. Connect again then.',
    'A person can have 32 streams at once and an account 200, counted by each serving process; one more answers 429.',
  ].join('\n'),
  access: needs(),
  limit: 'read',
  teamBySlug: true,
  reply: 'raw',
})
