import { listAliases } from '#contract/api/alias.ts'
import * as environments from '#contract/api/custom-environment.ts'
import * as env from '#contract/api/env-variable.ts'
import { NEW_PROJECT_NODE_VERSION } from '#contract/api/node-versions.ts'
import * as api from '#contract/api/project.ts'
import * as domains from '#contract/api/project-domain.ts'
import * as production from '#contract/api/project-production.ts'
import type { Endpoint, ReplyOf } from '#contract/endpoint.ts'
import { AloftError, invalidRequest, noSuch } from '#contract/errors.ts'
import { PAGE_LIMIT } from '#contract/page.ts'
import { isRecord } from '#core/is-record.ts'
import { type CompatContext, type CompatRequest, type CompatRow, isSaid, type PartialRequest } from './row.ts'

type Project = ReplyOf<(typeof api.getProject)['reply']>
type Projects = ReplyOf<(typeof api.listProjects)['reply']>

/** The keys that an endpoint of ours knows: those of projects refuse all others, and other clients send more. */
const onlyKnownKeys = (endpoint: Endpoint, body: unknown): Record<string, unknown> => {
  const { properties = {} } = (endpoint.body ?? {}) as { properties?: Record<string, unknown> }
  const given = (body ?? {}) as Record<string, unknown>
  const known = Object.keys(properties).filter((key) => Object.hasOwn(given, key))
  return Object.fromEntries(known.map((key) => [key, given[key]]))
}

const frameworkOf = ({ framework }: Record<string, unknown>) =>
  framework === undefined || framework === null || !(api.FRAMEWORKS as readonly unknown[]).includes(framework)
    ? {}
    : { framework }

/** Some clients send what is not set as null. */
const withoutNull = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))

const readProject =
  (endpoint: Endpoint) =>
  ({ body }: CompatRequest): PartialRequest => {
    const { framework: _framework, ...rest } = onlyKnownKeys(endpoint, body)
    return { body: { ...rest, ...frameworkOf(body ?? {}) } }
  }

const readNewProject = (asked: CompatRequest): PartialRequest => {
  const { body } = readProject(api.createProject)(asked)
  return { body: withoutNull(body) }
}

/** With what later versions always name. Nothing of it can be set here: no resources, and nothing expires by itself. */
const showProject = (project: Project) => ({
  ...project,
  alias: (project.targets.production?.alias ?? []).map((domain: string) => ({
    domain,
    environment: 'production',
    target: 'PRODUCTION',
    configuredBy: null,
    createdAt: project.targets.production?.createdAt,
    deployment: null,
  })),
  defaultResourceConfig: { functionDefaultRegions: [] },
  resourceConfig: { functionDefaultRegions: [] },
  deploymentExpiration: {},
})

/** New projects of such clients build with what today's frameworks need. */
async function showCreated(made: Project, { call, asked }: CompatContext) {
  const { nodeVersion = NEW_PROJECT_NODE_VERSION } = asked.body as { nodeVersion?: string }
  const project = await call(api.updateProject, { params: { idOrName: made.id }, body: { nodeVersion } })
  return showProject(project)
}

/** Projects that a domain shows: where its names lead. */
async function ofDomain({ call, asked }: CompatContext): Promise<readonly Project[]> {
  const { domain, limit } = asked.query
  if (typeof domain !== 'string') {
    const { projects } = await call(api.listProjects, {
      query: { limit: limit ?? String(PAGE_LIMIT.current) },
    })
    return projects
  }
  const { aliases } = await call(listAliases, { query: { domain, limit: '100' } })
  const ids = [...new Set(aliases.map(({ projectId }) => projectId))]
  return Promise.all(ids.map((idOrName) => call(api.getProject, { params: { idOrName } })))
}

const listQuery = ({ query: { teamId, slug, search, ...query } }: CompatRequest): PartialRequest => ({
  query: {
    ...Object.fromEntries(Object.entries(query).filter(([key]) => LIST_KEYS.has(key))),
    ...(isSaid(search) ? { search } : {}),
  },
})
const LIST_KEYS = new Set([
  ...['limit', 'from', 'until', 'repo', 'repoId', 'repoUrl', 'excludeRepos'],
  ...['gitForkProtection', 'edgeConfigId', 'edgeConfigTokenId'],
])

/**
 * Later clients go on with `from`, and have no `until`; but a time in it asks for newer projects. What they are given to go
 * on with is therefore later than any time, and means the same in both.
 */
const CONTINUED = 5e15

const continuedQuery = (asked: CompatRequest): PartialRequest => {
  const { from, until, ...query } = listQuery(asked).query ?? {}
  const next = [from, until].map(Number).find((each) => each >= CONTINUED)
  if (next !== undefined) return { query: { ...query, until: String(next - CONTINUED) } }
  return listQuery(asked)
}

const showContinued = ({ projects, pagination }: Projects) => ({
  projects: projects.map(showProject),
  pagination: { ...pagination, next: pagination.next === null ? null : CONTINUED + pagination.next },
})

type Variables = ReplyOf<(typeof env.listVariables)['reply']>
type Variable = Variables['envs'][number]

/** Earlier versions said one name where there is a list now; and each asked for one environment. */
const isFor = ({ target: targets, customEnvironmentIds = [] }: Variable, target: unknown): boolean =>
  typeof target !== 'string' ||
  target === '' ||
  [targets].flat().includes(target) ||
  customEnvironmentIds.includes(target)

/** The id of an environment that is named by its slug; anything else as it is. */
async function idOfEnvironment({ call, asked }: CompatContext, named: string): Promise<string> {
  if ((env.ENV_TARGETS as readonly string[]).includes(named)) return named
  const { idOrName = '' } = asked.params
  const found = await call(environments.listEnvironments, { params: { idOrName } })
  return found.environments.find(({ slug }) => slug === named)?.id ?? named
}

/** Nothing looks into values here, so that nothing is found in them; later versions refuse an answer that leaves it out. */
const showVariable = (one: Variable) => ({ ...one, securityIssues: [] })

function showVariables({ envs }: Variables, { asked }: CompatContext) {
  const shown = envs.filter((one) => isFor(one, asked.query.target)).map(showVariable)
  return { envs: shown, pagination: { count: shown.length, next: null, prev: null } }
}

async function variableQuery({ query }: CompatRequest, also: CompatContext): Promise<PartialRequest> {
  const { decrypt, gitBranch, customEnvironmentId: id, customEnvironmentSlug: slug } = query
  const environment = isSaid(id) ? id : isSaid(slug) ? await idOfEnvironment(also, slug) : undefined
  return {
    query: {
      ...(decrypt === undefined ? {} : { decrypt }),
      ...(isSaid(gitBranch) ? { gitBranch } : {}),
      ...(environment === undefined ? {} : { customEnvironmentId: environment }),
    },
  }
}

const VARIABLE_KEYS = [
  'key',
  'value',
  'type',
  'target',
  'gitBranch',
  'comment',
  'customEnvironmentId',
  'customEnvironmentIds',
] as const

const readVariable = (one: Record<string, unknown>): Record<string, unknown> => ({
  type: 'encrypted',
  ...Object.fromEntries(
    VARIABLE_KEYS.filter((key) => one[key] !== undefined && one[key] !== null && one[key] !== '').map(
      (key) => [key, one[key]],
    ),
  ),
  value: one.value ?? '',
  target: one.target ?? [],
})

/** At first a variable was always a secret, named by its id. */
const ofSecret = (one: Record<string, unknown>): Record<string, unknown> =>
  one.type === undefined && typeof one.value === 'string' && one.value !== ''
    ? { ...one, type: 'secret' }
    : one

/** One of a list, which may hold anything until the endpoint checks it. */
function variableIn(item: unknown): Record<string, unknown> {
  if (!isRecord(item)) throw invalidRequest('each item should be a variable')
  return item
}

const readVariables = ({ body, query }: CompatRequest): PartialRequest => ({
  query: query.upsert === undefined ? {} : { upsert: query.upsert },
  body: Array.isArray(body)
    ? body.map((item) => readVariable(variableIn(item)))
    : readVariable(variableIn(body ?? {})),
})

/** Earlier versions answer the variable itself. */
const showCreatedVariable = ({ created }: { created: unknown }) => created

/** Variables by their name and environment: one that is also for others stays for them. */
async function removeByKey({ call, asked }: CompatContext) {
  const { idOrName = '', key = '' } = asked.params
  const { target } = asked.query
  const { envs } = await call(env.listVariables, { params: { idOrName } })
  const found = envs.find((one) => (one.id === key || one.key === key) && isFor(one, target))
  if (found === undefined) throw noSuch('variable', key)
  const others = (places: readonly string[] = []) =>
    places.filter((each) => typeof target === 'string' && target !== '' && each !== target)
  const { customEnvironmentId: alone } = found
  const left = {
    // One of a single custom environment is set nowhere else, whatever its targets say.
    target: alone === undefined ? others([found.target].flat()) : [],
    customEnvironmentIds: others(found.customEnvironmentIds),
    ...(alone === target ? { customEnvironmentId: null } : {}),
  }
  const params = { idOrName, id: found.id }
  return left.target.length + left.customEnvironmentIds.length > 0
    ? call(env.updateVariable, { params, body: left })
    : call(env.removeVariable, { params })
}

/** Several at a time, of which those that are there are removed. */
async function removeSeveral({ call, asked }: CompatContext) {
  const { idOrName = '' } = asked.params
  const wanted: unknown = asked.body?.ids
  if (!Array.isArray(wanted)) throw invalidRequest('`ids` should be a list of variable ids')
  if (wanted.length > env.MOST_VARIABLES)
    throw invalidRequest(`\`ids\` should have at most ${env.MOST_VARIABLES} items`)
  const { envs } = await call(env.listVariables, { params: { idOrName } })
  const among = new Set(wanted)
  const ids = envs.map(({ id }) => id).filter((id) => among.has(id))
  for (const id of ids) await call(env.removeVariable, { params: { idOrName, id } })
  return { deleted: ids.length, ids }
}

/** What a program on one's own computer gets: values that can be read, of one environment. */
async function pull(also: CompatContext) {
  const { call, asked } = also
  const { idOrName = '', gitBranch } = asked.params
  const target = await idOfEnvironment(also, asked.params.target ?? 'development')
  const { envs } = await call(env.listVariables, { params: { idOrName }, query: { decrypt: 'true' } })
  const chosen = envs.filter(
    (one) =>
      isFor(one, target) && one.decrypted && (one.gitBranch === undefined || one.gitBranch === gitBranch),
  )
  // One that is for a branch alone goes before the one for all.
  const inOrder = chosen.toSorted(
    (a, b) => Number(a.gitBranch !== undefined) - Number(b.gitBranch !== undefined),
  )
  return { env: Object.fromEntries(inOrder.map(({ key, value }) => [key, value])), buildEnv: {} }
}

type Moved = ReplyOf<(typeof production.listMovedAliases)['reply']>

/** With the deployment that they were to show. */
async function showMoved({ aliases, pagination }: Moved, { asked, call }: CompatContext) {
  const { lastAliasRequest } = await call(api.getProject, {
    params: { idOrName: asked.params.projectId ?? '' },
  })
  const deploymentId = lastAliasRequest?.toDeploymentId
  return {
    aliases: aliases.map(({ alias, id, status }) => ({ id, status, alias: { id, alias, deploymentId } })),
    pagination,
  }
}

type ProjectDomain = ReplyOf<(typeof domains.getProjectDomain)['reply']>

const asTarget = (d: ProjectDomain) => ({
  domain: d.name,
  target: 'PRODUCTION',
  createdAt: d.createdAt,
  configuredBy: null,
  redirect: d.redirect ?? null,
})

/** Where a domain leads that is added to a project or taken from it, as earlier versions say it. */
const byQuery = ({ params, query }: CompatRequest): PartialRequest => ({
  params: { ...params, domain: String(query.domain ?? '') },
})

async function currentProduction({ call, asked }: CompatContext) {
  const project = await call(api.getProject, { params: asked.params })
  const current = project.targets.production
  if (current === undefined)
    throw new AloftError('not_found', `The project \`${project.name}\` has no production deployment yet.`)
  return { deployment: current, rollbackInfo: { isRollback: project.lastRollbackTarget !== null } }
}

export const projectRows: readonly CompatRow[] = [
  {
    on: 'POST /v{1,2,3,4,5,6,7,8,9,11}/projects',
    is: api.createProject,
    read: readNewProject,
    show: showCreated,
  },
  {
    on: 'GET /v{3,4,5,6,7,8}/projects',
    is: api.listProjects,
    read: listQuery,
    show: ({ projects, pagination }: Projects) => ({ projects: projects.map(showProject), pagination }),
  },
  { on: 'GET /v{10,11}/projects', is: api.listProjects, read: continuedQuery, show: showContinued },
  { on: 'GET /v2/projects', is: api.listProjects, answer: ofDomain },
  { on: 'POST /projects/ensure-project', is: api.ensureProject },
  { on: 'GET {/projects,/projects/info}/:idOrName', is: api.getProject, show: showProject },
  { on: 'GET /v{2,3,4,5,6,7,8,10,11}/projects/:idOrName', is: api.getProject, show: showProject },
  {
    on: 'PATCH /v{1,2,3,4,5,6,7,8,10,11}/projects/:idOrName',
    is: api.updateProject,
    read: readProject(api.updateProject),
  },
  { on: 'DELETE {,/v2,/v3,/v4,/v5,/v6,/v7,/v8,/v10,/v11}/projects/:idOrName', is: api.deleteProject },
  { on: 'GET /projects/:idOrName/production-deployment', is: api.getProject, answer: currentProduction },
  {
    on: 'GET {,/v1}/projects/:idOrName/custom-environments',
    is: environments.listEnvironments,
  },
  {
    on: 'GET {,/v1}/projects/:idOrName/custom-environments/:environmentSlugOrId',
    is: environments.getEnvironment,
  },

  {
    on: 'GET /v4/projects/:idOrName/env',
    is: env.listVariables,
    read: variableQuery,
    show: (list, also) => showVariables(list, also).envs,
  },
  {
    on: 'GET /v{5,6,7,8,10}/projects/:idOrName/env',
    is: env.listVariables,
    read: variableQuery,
    show: showVariables,
  },
  {
    on: 'POST /v4/projects/:idOrName/env',
    is: env.createVariables,
    read: ({ body, ...asked }) =>
      readVariables({ ...asked, body: [body ?? {}].flat().map((item) => ofSecret(variableIn(item))) }),
    show: showCreatedVariable,
  },
  {
    on: 'POST /v{5,6,7,8,9}/projects/:idOrName/env',
    is: env.createVariables,
    read: readVariables,
    show: showCreatedVariable,
  },
  {
    on: 'GET /v{4,5,6,7,8,9,10}/projects/:idOrName/env/:id',
    is: env.getVariable,
    show: showVariable,
  },
  {
    on: 'PATCH /v{4,5,6,7,8,10}/projects/:idOrName/env/:id',
    is: env.updateVariable,
    read: ({ body }) => ({ body: onlyKnownKeys(env.updateVariable, body) }),
  },
  { on: 'DELETE /v{7,8,10}/projects/:idOrName/env/:id', is: env.removeVariable },
  { on: 'DELETE /v{4,5,6}/projects/:idOrName/env/:key', is: env.removeVariable, answer: removeByKey },
  { on: 'DELETE /v1/projects/:idOrName/env', is: env.removeVariable, answer: removeSeveral },
  {
    on: 'GET /v{1,2,3}/env/pull/:idOrName{,/:target,/:target/:gitBranch}',
    is: env.listVariables,
    answer: pull,
  },
  {
    on: 'GET /v6/projects/:idOrName/system-env-values',
    is: api.getProject,
    answer: () => ({ systemEnvValues: [] }),
  },

  {
    on: 'GET /v9/projects/:projectId{/promote,/rollback}/aliases',
    is: production.listMovedAliases,
    show: showMoved,
  },
  { on: 'POST /v{1,10}/projects/:projectId/rollback/:deploymentId', is: production.rollBackProject },
  { on: 'POST /v{1,9}/projects/:projectId/promote/:deploymentId', is: production.promoteDeployment },

  {
    on: 'POST /projects/:idOrName/alias',
    is: domains.addProjectDomain,
    read: ({ body }) => ({
      body: { name: body?.domain, ...(body?.redirect ? { redirect: body.redirect } : {}) },
    }),
    show: (made: ProjectDomain) => [asTarget(made)],
  },
  {
    on: 'DELETE /projects/:idOrName/alias',
    is: domains.removeProjectDomain,
    read: byQuery,
    show: () => [],
  },
  { on: 'GET /v{8,10}/projects/:idOrName/domains', is: domains.listProjectDomains },
  { on: 'POST /v8/projects/:idOrName/domains', is: domains.addProjectDomain },
  { on: 'GET /v{8,10}/projects/:idOrName/domains/:domain', is: domains.getProjectDomain },
  { on: 'PATCH /v{8,10}/projects/:idOrName/domains/:domain', is: domains.updateProjectDomain },
  { on: 'DELETE /v{8,10}/projects/:idOrName/domains/:domain', is: domains.removeProjectDomain },
]
