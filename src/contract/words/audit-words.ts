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

/** What was done, by endpoint: without its version, and with `:` for each placeholder. */
const SENTENCES: Readonly<Record<string, Say>> = {
  'POST /deployments': ({ name }, known) => [
    'deployed',
    ...(name === undefined ? [] : project({ idOrName: name }, known)),
  ],
  'DELETE /deployments/:': ({ id }) => ['deleted the deployment', ...named(id)],
  'POST /deployments/:/aliases': ({ alias, id = '' }, known) => [
    'pointed',
    ...named(alias ?? 'an alias'),
    ' to',
    ...deployment({ id }, known),
  ],
  'DELETE /aliases/:': ({ id }) => ['removed the alias', ...named(id)],
  'POST /deployments/:/instances': (target, known) => ['scaled', ...deployment(target, known)],
  'POST /deployments/:/redeploy': (target, known) => ['redeployed', ...deployment(target, known)],
  'PATCH /deployments/:/cancel': (target, known) => ['cancelled the build of', ...deployment(target, known)],
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
  'POST /projects/:/pause': (target, known) => ['paused', ...project(target, known)],
  'POST /projects/:/unpause': (target, known) => ['resumed', ...project(target, known)],
  'PATCH /projects/:/rolling-release/config': (target, known) => [
    'changed the rolling releases of',
    ...project(target, known),
  ],
  'DELETE /projects/:/rolling-release/config': (target, known) => [
    'turned off rolling releases of',
    ...project(target, known),
  ],
  'POST /projects/:/rolling-release/start': (target, known) => [
    'started a rolling release of',
    ...project(target, known),
  ],
  'POST /projects/:/rolling-release/approve-stage': (target, known) => [
    'approved a stage of the rolling release of',
    ...project(target, known),
  ],
  'POST /projects/:/rolling-release/complete': (target, known) => [
    'completed the rolling release of',
    ...project(target, known),
  ],
  'POST /projects/:/rolling-release/abort': (target, known) => [
    'aborted the rolling release of',
    ...project(target, known),
  ],
  'POST /projects/:/promote/:': (target, known) => [
    'promoted',
    ...deployment(target, known),
    ' to production of',
    ...project(target, known),
  ],
  'POST /projects/:/rollback/:': (target, known) => [
    'rolled',
    ...project(target, known),
    ' back to',
    ...deployment(target, known),
  ],
  'POST /projects/:/env': (target, known) => ['added', ...keys(target), ' to', ...project(target, known)],
  'PUT /projects/:/env': (target, known) => ['set', ...keys(target), ' of', ...project(target, known)],
  'PATCH /projects/:/env/:': (target, known) => [
    'changed',
    ...keys(target),
    ' of',
    ...project(target, known),
  ],
  'DELETE /projects/:/env/:': (target, known) => [
    'removed',
    ...keys(target),
    ' from',
    ...project(target, known),
  ],
  'POST /projects/:/domains': ({ name, ...target }, known) => [
    'added the domain',
    ...named(name),
    ' to',
    ...project(target, known),
  ],
  'PATCH /projects/:/domains/:': (target, known) => [
    'changed the domain',
    ...named(target.domain),
    ' of',
    ...project(target, known),
  ],
  'DELETE /projects/:/domains/:': (target, known) => [
    'removed the domain',
    ...named(target.domain),
    ' from',
    ...project(target, known),
  ],
  'POST /projects/:/domains/:/verify': (target, known) => [
    'verified the domain',
    ...named(target.domain),
    ' of',
    ...project(target, known),
  ],
  'PATCH /projects/:/protection-bypass': (target, known) => [
    'changed the automation bypass secrets of',
    ...project(target, known),
  ],
  'POST /projects/:/transfer-request': (target, known) => [
    'started a transfer of',
    ...project(target, known),
  ],
  'DELETE /projects/:/transfer-request': (target, known) => [
    'cancelled the transfer of',
    ...project(target, known),
  ],
  'PUT /projects/transfer-request/:': () => ['accepted the transfer of a project'],
  'PATCH /data-cache/projects/:': (target, known) => ['changed the data cache of', ...project(target, known)],
  'POST /projects/:/cache/purge': (target, known) => ['purged the cache of', ...project(target, known)],
  'DELETE /data-cache/purge-all': (target, known) => ['purged the cache of', ...project(target, known)],
  'POST /edge-cache/purge-all': (target, known) => ['purged the cache of', ...project(target, known)],
  'POST /edge-cache/invalidate-by-tags': () => ['purged cached responses by tag'],
  'POST /edge-cache/dangerously-delete-by-tags': () => ['deleted cached responses by tag'],
  'POST /projects/:/custom-environments': (target, known) => [
    'added an environment to',
    ...project(target, known),
  ],
  'PATCH /projects/:/custom-environments/:': (target, known) => [
    'changed an environment of',
    ...project(target, known),
  ],
  'DELETE /projects/:/custom-environments/:': (target, known) => [
    'deleted an environment of',
    ...project(target, known),
  ],
  'POST /projects/:/crons': (target, known) => ['added a scheduled job to', ...project(target, known)],
  'PATCH /projects/:/crons/:': (target, known) => ['changed a scheduled job of', ...project(target, known)],
  'DELETE /projects/:/crons/:': (target, known) => [
    'removed a scheduled job from',
    ...project(target, known),
  ],
  'POST /projects/:/crons/:/runs': (target, known) => ['ran a scheduled job of', ...project(target, known)],
  'POST /projects/:/pushes/:/approve': (target, known) => [
    'approved a pull request from a fork for',
    ...project(target, known),
  ],
  'POST /projects/:/pushes/:/run-again': (target, known) => [
    'redeployed a push to',
    ...project(target, known),
  ],
  'POST /projects/:/deploy-hooks': (target, known) => [
    'created a deploy hook for',
    ...project(target, known),
  ],
  'DELETE /projects/:/deploy-hooks/:': (target, known) => [
    'revoked a deploy hook of',
    ...project(target, known),
  ],
  'PUT /projects/:/git': (target, known) => ['connected a Git repository to', ...project(target, known)],
  'DELETE /projects/:/git': (target, known) => [
    'disconnected the Git repository of',
    ...project(target, known),
  ],
  'POST /projects/:/git/sync': (target, known) => ['synced the Git repository of', ...project(target, known)],
  'POST /git/connections': ({ kind, url }) => ['connected the Git host', ...named(url ?? kind)],
  'POST /git/apps': ({ url }) => ['started to connect a GitHub App', ...named(url)],
  'POST /git/apps/:/conversion': () => ['connected a GitHub App'],
  'POST /git/apps/:/installations': () => ['refreshed the installations of a GitHub App'],
  'DELETE /git/apps/:': () => ['removed a GitHub App'],
  'POST /git/inspect': ({ repository }) => ['inspected a Git repository', ...named(repository)],
  'DELETE /git/connections/:': () => ['removed a connected Git host'],
  'POST /git/:/:/git-receive-pack': ({ repository }, known) => [
    'pushed to',
    ...project({ idOrName: repository?.replace(/\.git$/, '') ?? '' }, known),
  ],
  'POST /domains': (target, known) => ['added the domain', ...domain(target, known)],
  'POST /domains/buy': (target, known) => ['bought the domain', ...domain(target, known)],
  'POST /registration': (target, known) => ['registered a domain', ...domain(target, known)],
  'POST /domains/:/verify': (target, known) => ['verified the domain', ...domain(target, known)],
  'DELETE /domains/:': ({ name }) => ['deleted the domain', ...named(name)],
  'POST /domains/:/records': (target, known) => ['added a DNS record to', ...domain(target, known)],
  'PATCH /domains/records/:': () => ['changed a DNS record'],
  'DELETE /domains/:/records/:': (target, known) => ['deleted a DNS record of', ...domain(target, known)],
  'POST /certs': () => ['issued a certificate'],
  'PUT /certs': () => ['uploaded a certificate'],
  'DELETE /certs/:': () => ['deleted a certificate'],
  'POST /secrets': ({ name }) => ['added the secret', ...named(name)],
  'PATCH /secrets/:': ({ name, uidOrName }) => [
    'renamed the secret',
    ...named(uidOrName),
    ' to',
    ...named(name),
  ],
  'DELETE /secrets/:': ({ name, uidOrName }) => ['deleted the secret', ...named(name ?? uidOrName)],
  'POST /user/tokens': ({ name }) => ['created the token', ...named(name)],
  'DELETE /user/tokens/:': () => ['revoked a token'],
  'POST /user/ssh-keys': () => ['added an SSH key'],
  'DELETE /user/ssh-keys/:': () => ['removed an SSH key'],
  'DELETE /user/sessions/:': () => ['signed out a session'],
  'DELETE /user/sessions': () => ['signed out of all other sessions'],
  'POST /teams': ({ slug }) => ['created the team', ...named(slug)],
  'PATCH /teams/:': () => ['changed the team settings'],
  'POST /teams/:/members': (target, known) => ['added', ...member(target, known), ' to the team'],
  'PATCH /teams/:/members/:': (target, known) => [
    'changed the role of',
    ...member(target, known),
    ...(target.role === undefined ? [] : [' to', ...named(target.role.toLowerCase())]),
  ],
  'DELETE /teams/:/members/:': (target, known) => ['removed', ...member(target, known), ' from the team'],
  'POST /teams/:/invitations': ({ email }) => ['invited', ...named(email), ' to the team'],
  'DELETE /teams/:/invitations/:': () => ['withdrew an invitation to the team'],
  'POST /webhooks': () => ['created a webhook'],
  'PATCH /webhooks/:': () => ['changed a webhook'],
  'DELETE /webhooks/:': () => ['removed a webhook'],
  'POST /webhooks/:/deliveries/:/redeliver': () => ['redelivered a webhook event'],
  'POST /log-drains': ({ name }) => ['created the log drain', ...named(name)],
  'DELETE /log-drains/:': () => ['removed a log drain'],
  'POST /integrations/log-drains': ({ name }) => ['created the log drain', ...named(name)],
  'DELETE /integrations/log-drains/:': () => ['removed a log drain'],
  'POST /integrations/applications': ({ name }) => ['created the application', ...named(name)],
  'PATCH /integrations/applications/:': () => ['changed an application'],
  'DELETE /integrations/applications/:': () => ['removed an application'],
  'POST /integrations/applications/:/secret': () => ['rotated the secret of an application'],
  'PATCH /integrations/configuration/:': () => ['changed the projects of an integration'],
  'DELETE /integrations/configuration/:': () => ['removed an integration'],
  'POST /integrations/configuration/:/confirm-scopes': () => ['approved additional access of an integration'],
  'POST /integrations/configuration/:/transfer': () => ['took ownership of an integration'],
  'POST /oauth/authorize': () => ['authorized an application'],
  'PATCH /operator/accounts/:': ({ idOrEmailOrSlug }) => ['changed the account', ...named(idOrEmailOrSlug)],
  'PATCH /operator/accounts/:/quotas': ({ idOrEmailOrSlug }) => [
    'changed the quotas of',
    ...named(idOrEmailOrSlug),
  ],
  'PATCH /operator/quotas/:': ({ plan }) => ['changed the quotas of the plan', ...named(plan)],
  'PATCH /operator/machines/:': ({ name }) => ['changed the machine', ...named(name)],
  'DELETE /operator/machines/:': ({ name }) => ['removed the machine', ...named(name)],
  'POST /operator/restart': () => ['restarted the server'],
  'POST /operator/backups': () => ['created a backup'],
  'POST /operator/machines/invitations': () => ['invited a machine'],
  'POST /operator/jobs/:/run': ({ name }) => ['ran the job', ...named(name)],
  'POST /operator/jobs/failed/:/retry': () => ['retried a dead job'],
  'DELETE /operator/jobs/failed/:': () => ['deleted a dead job'],
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
