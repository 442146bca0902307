/** What a name in a sentence stands for, where there is a page of it. */
export interface LinkedResource {
  readonly kind: 'project' | 'deployment' | 'domain'
  readonly id: string
}

/** A sentence in pieces: words, names that stand out, and names of what can be opened. */
export type SentencePart = string | { readonly name: string; readonly thing?: LinkedResource }

interface Change {
  readonly action: string
  readonly target: Readonly<Record<string, string>>
}

/** Names of things by their ids, as far as they are known. */
export interface NamesById {
  readonly project: (idOrName: string) => string
  readonly person: (id: string) => string
}

type Say = (target: Readonly<Record<string, string>>, known: NamesById) => readonly SentencePart[]

const named = (text: string | undefined): readonly SentencePart[] =>
  text === undefined || text === '' ? [] : [' ', { name: text }]

const project: Say = (target, { project: nameOf }) => {
  const idOrName = target.idOrName ?? target.projectId ?? target.name ?? ''
  if (idOrName === '') return [' a project']
  const name = nameOf(idOrName)
  return [' ', { name, thing: { kind: 'project', id: name } }]
}

const deployment: Say = (target) => {
  const id = target.deploymentId ?? target.id ?? ''
  return [' ', { name: id, thing: { kind: 'deployment', id } }]
}

const domain: Say = (target) => {
  const name = target.domain ?? target.name ?? ''
  return name === '' ? [] : [' ', { name, thing: { kind: 'domain', id: name } }]
}

const keys = ({ key = '' }: Readonly<Record<string, string>>): readonly SentencePart[] =>
  key === '' ? [' a variable'] : [key.includes(', ') ? ' the variables ' : ' the variable ', { name: key }]

const member: Say = ({ email, userId }, { person }) => named(email ?? (userId && person(userId)))

const its =
  (field: string): Say =>
  (target) =>
    named(target[field])

const tell =
  (...parts: readonly (string | Say)[]): Say =>
  (target, known) =>
    parts.flatMap((part) => (typeof part === 'string' ? [part] : part(target, known)))

/** What was done, by endpoint: without its version, and with `:` for each placeholder. */
const SENTENCES: Readonly<Record<string, Say>> = {
  'POST /deployments': ({ name }, known) => [
    'deployed',
    ...(name === undefined ? [] : project({ idOrName: name }, known)),
  ],
  'DELETE /deployments/:': tell('deleted the deployment', its('id')),
  'POST /deployments/:/aliases': ({ alias, id = '' }, known) => [
    'pointed',
    ...named(alias ?? 'an alias'),
    ' to',
    ...deployment({ id }, known),
  ],
  'DELETE /aliases/:': tell('removed the alias', its('id')),
  'POST /deployments/:/instances': tell('scaled', deployment),
  'POST /deployments/:/redeploy': tell('redeployed', deployment),
  'PATCH /deployments/:/cancel': tell('cancelled the build of', deployment),
  'POST /projects': ({ name = '' }, known) => ['created the project', ...project({ idOrName: name }, known)],
  'POST /projects/ensure-project': ({ name = '' }, known) => [
    'created the project',
    ...project({ idOrName: name }, known),
  ],
  'PATCH /projects/:': ({ name, ...target }, known) =>
    name === undefined
      ? ['changed the settings of', ...project(target, known)]
      : ['renamed the project', ...named(target.idOrName), ' to', ...project({ idOrName: name }, known)],
  'DELETE /projects/:': ({ idOrName }, { project: nameOf }) => [
    'deleted the project',
    ...named(idOrName && nameOf(idOrName)),
  ],
  'POST /projects/:/pause': tell('paused', project),
  'POST /projects/:/unpause': tell('resumed', project),
  'PATCH /projects/:/rolling-release/config': tell('changed the rolling releases of', project),
  'DELETE /projects/:/rolling-release/config': tell('turned off rolling releases of', project),
  'POST /projects/:/rolling-release/start': tell('started a rolling release of', project),
  'POST /projects/:/rolling-release/approve-stage': tell(
    'approved a stage of the rolling release of',
    project,
  ),
  'POST /projects/:/rolling-release/complete': tell('completed the rolling release of', project),
  'POST /projects/:/rolling-release/abort': tell('aborted the rolling release of', project),
  'POST /projects/:/promote/:': tell('promoted', deployment, ' to production of', project),
  'POST /projects/:/rollback/:': tell('rolled', project, ' back to', deployment),
  'POST /projects/:/env': tell('added', keys, ' to', project),
  'PUT /projects/:/env': tell('set', keys, ' of', project),
  'PATCH /projects/:/env/:': tell('changed', keys, ' of', project),
  'DELETE /projects/:/env/:': tell('removed', keys, ' from', project),
  'POST /projects/:/domains': ({ name, ...target }, known) => [
    'added the domain',
    ...named(name),
    ' to',
    ...project(target, known),
  ],
  'PATCH /projects/:/domains/:': tell('changed the domain', its('domain'), ' of', project),
  'DELETE /projects/:/domains/:': tell('removed the domain', its('domain'), ' from', project),
  'POST /projects/:/domains/:/verify': tell('verified the domain', its('domain'), ' of', project),
  'PATCH /projects/:/protection-bypass': tell('changed the automation bypass secrets of', project),
  'POST /projects/:/transfer-request': tell('started a transfer of', project),
  'DELETE /projects/:/transfer-request': tell('cancelled the transfer of', project),
  'PUT /projects/transfer-request/:': tell('accepted the transfer of a project'),
  'PATCH /data-cache/projects/:': tell('changed the data cache of', project),
  'POST /projects/:/cache/purge': tell('purged the cache of', project),
  'DELETE /data-cache/purge-all': tell('purged the cache of', project),
  'POST /edge-cache/purge-all': tell('purged the cache of', project),
  'POST /edge-cache/invalidate-by-tags': tell('purged cached responses by tag'),
  'POST /edge-cache/dangerously-delete-by-tags': tell('deleted cached responses by tag'),
  'POST /projects/:/custom-environments': tell('added an environment to', project),
  'PATCH /projects/:/custom-environments/:': tell('changed an environment of', project),
  'DELETE /projects/:/custom-environments/:': tell('deleted an environment of', project),
  'POST /projects/:/crons': tell('added a scheduled job to', project),
  'PATCH /projects/:/crons/:': tell('changed a scheduled job of', project),
  'DELETE /projects/:/crons/:': tell('removed a scheduled job from', project),
  'POST /projects/:/crons/:/runs': tell('ran a scheduled job of', project),
  'POST /projects/:/pushes/:/approve': tell('approved a pull request from a fork for', project),
  'POST /projects/:/pushes/:/run-again': tell('redeployed a push to', project),
  'POST /projects/:/deploy-hooks': tell('created a deploy hook for', project),
  'DELETE /projects/:/deploy-hooks/:': tell('revoked a deploy hook of', project),
  'PUT /projects/:/git': tell('connected a Git repository to', project),
  'DELETE /projects/:/git': tell('disconnected the Git repository of', project),
  'POST /projects/:/git/sync': tell('synced the Git repository of', project),
  'POST /git/connections': ({ kind, url }) => ['connected the Git host', ...named(url ?? kind)],
  'POST /git/apps': tell('started to connect a GitHub App', its('url')),
  'POST /git/apps/:/conversion': tell('connected a GitHub App'),
  'POST /git/apps/:/installations': tell('refreshed the installations of a GitHub App'),
  'DELETE /git/apps/:': tell('removed a GitHub App'),
  'POST /git/inspect': tell('inspected a Git repository', its('repository')),
  'DELETE /git/connections/:': tell('removed a connected Git host'),
  'POST /git/:/:/git-receive-pack': ({ repository }, known) => [
    'pushed to',
    ...project({ idOrName: repository?.replace(/\.git$/, '') ?? '' }, known),
  ],
  'POST /domains': tell('added the domain', domain),
  'POST /domains/buy': tell('bought the domain', domain),
  'POST /registration': tell('registered a domain', domain),
  'POST /domains/:/verify': tell('verified the domain', domain),
  'DELETE /domains/:': tell('deleted the domain', its('name')),
  'POST /domains/:/records': tell('added a DNS record to', domain),
  'PATCH /domains/records/:': tell('changed a DNS record'),
  'DELETE /domains/:/records/:': tell('deleted a DNS record of', domain),
  'POST /certs': tell('issued a certificate'),
  'PUT /certs': tell('uploaded a certificate'),
  'DELETE /certs/:': tell('deleted a certificate'),
  'POST /secrets': tell('added the secret', its('name')),
  'PATCH /secrets/:': tell('renamed the secret', its('uidOrName'), ' to', its('name')),
  'DELETE /secrets/:': ({ name, uidOrName }) => ['deleted the secret', ...named(name ?? uidOrName)],
  'POST /user/tokens': tell('created the token', its('name')),
  'DELETE /user/tokens/:': tell('revoked a token'),
  'POST /user/ssh-keys': tell('added an SSH key'),
  'DELETE /user/ssh-keys/:': tell('removed an SSH key'),
  'DELETE /user/sessions/:': tell('signed out a session'),
  'DELETE /user/sessions': tell('signed out of all other sessions'),
  'POST /teams': tell('created the team', its('slug')),
  'PATCH /teams/:': tell('changed the team settings'),
  'POST /teams/:/members': tell('added', member, ' to the team'),
  'PATCH /teams/:/members/:': (target, known) => [
    'changed the role of',
    ...member(target, known),
    ...(target.role === undefined ? [] : [' to', ...named(target.role.toLowerCase())]),
  ],
  'DELETE /teams/:/members/:': tell('removed', member, ' from the team'),
  'POST /teams/:/invitations': tell('invited', its('email'), ' to the team'),
  'DELETE /teams/:/invitations/:': tell('withdrew an invitation to the team'),
  'POST /webhooks': tell('created a webhook'),
  'PATCH /webhooks/:': tell('changed a webhook'),
  'DELETE /webhooks/:': tell('removed a webhook'),
  'POST /webhooks/:/deliveries/:/redeliver': tell('redelivered a webhook event'),
  'POST /log-drains': tell('created the log drain', its('name')),
  'DELETE /log-drains/:': tell('removed a log drain'),
  'POST /integrations/log-drains': tell('created the log drain', its('name')),
  'DELETE /integrations/log-drains/:': tell('removed a log drain'),
  'POST /integrations/applications': tell('created the application', its('name')),
  'PATCH /integrations/applications/:': tell('changed an application'),
  'DELETE /integrations/applications/:': tell('removed an application'),
  'POST /integrations/applications/:/secret': tell('rotated the secret of an application'),
  'PATCH /integrations/configuration/:': tell('changed the projects of an integration'),
  'DELETE /integrations/configuration/:': tell('removed an integration'),
  'POST /integrations/configuration/:/confirm-scopes': tell('approved additional access of an integration'),
  'POST /integrations/configuration/:/transfer': tell('took ownership of an integration'),
  'POST /oauth/authorize': tell('authorized an application'),
  'PATCH /operator/accounts/:': tell('changed the account', its('idOrEmailOrSlug')),
  'PATCH /operator/accounts/:/quotas': tell('changed the quotas of', its('idOrEmailOrSlug')),
  'PATCH /operator/quotas/:': tell('changed the quotas of the plan', its('plan')),
  'PATCH /operator/machines/:': tell('changed the machine', its('name')),
  'DELETE /operator/machines/:': tell('removed the machine', its('name')),
  'POST /operator/restart': tell('restarted the server'),
  'POST /operator/backups': tell('created a backup'),
  'POST /operator/machines/invitations': tell('invited a machine'),
  'POST /operator/jobs/:/run': tell('ran the job', its('name')),
  'POST /operator/jobs/failed/:/retry': tell('retried a dead job'),
  'DELETE /operator/jobs/failed/:': tell('deleted a dead job'),
}

/** `DELETE /v9/projects/:idOrName/env/:id` → `DELETE /projects/:/env/:`. */
export const kindOf = (action: string): string =>
  action.replace(/^(\w+) (?:\/v\d+)?(?:\/platform)?/, '$1 ').replaceAll(/:\w+/g, ':')

const DEEDS: Readonly<Record<string, string>> = {
  POST: 'created',
  PUT: 'set',
  PATCH: 'changed',
  DELETE: 'removed',
}

/** What somebody did, to be read after their name: “added the variable API_KEY to marketing”. */
export function inWords({ action, target }: Change, known: NamesById): readonly SentencePart[] {
  const say = SENTENCES[kindOf(action)]
  if (say !== undefined) return say(target, known)
  const [method = '', path = ''] = kindOf(action).split(' ')
  const nouns = path.split('/').filter((part) => part !== '' && part !== ':')
  return [
    `${DEEDS[method] ?? method} ${nouns.join(' ').replaceAll('-', ' ')}`,
    ...named(Object.values(target).at(-1)),
  ]
}

export const textOf = (pieces: readonly SentencePart[]): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : piece.name)).join('')

/** What somebody acted with, by the kind of their credential. */
export const VIAS: Readonly<Record<string, string>> = {
  login: 'Command line',
  account: 'Token',
  session: 'Browser',
  integration: 'Integration',
}
