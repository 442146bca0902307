import { listEnvironments } from '#contract/api/custom-environment.ts'
import * as api from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import type { ReplyOf } from '#contract/endpoint.ts'
import { invalidRequest } from '#contract/errors.ts'
import { shownPlan, shownState } from '../answer/shown-words.ts'
import { readCreate } from './deployment-body.ts'
import { type CompatContext, type CompatRequest, type CompatRow, isSaid, type PartialRequest } from './row.ts'

type Deployment = ReplyOf<(typeof api.getDeployment)['reply']>
type StoredDeployment = Awaited<ReturnType<CompatContext['findDeployment']>>
type Project = ReplyOf<(typeof getProject)['reply']>
type Output = ReplyOf<(typeof api.getOutput)['reply']>

/** What a deployment is built with, in the words of a project's settings. */
const settingsOf = (p: Project) => ({
  framework: p.framework,
  buildCommand: p.buildCommand,
  commandForIgnoringBuildStep: p.commandForIgnoringBuildStep,
  devCommand: p.devCommand,
  installCommand: p.installCommand,
  nodeVersion: p.nodeVersion,
  outputDirectory: p.outputDirectory,
  rootDirectory: p.rootDirectory,
  sourceFilesOutsideRootDirectory: p.sourceFilesOutsideRootDirectory,
  createdAt: p.createdAt,
})

const teamOf = ({ owner }: CompatContext['ctx']) =>
  owner.kind === 'team' ? { team: { id: owner.id, slug: owner.slug, name: owner.slug } } : {}

/** Somebody else's deployment can be read without its project. */
const orUndefined = <T>(wanted: Promise<T>): Promise<T | undefined> => wanted.catch(() => undefined)

async function showDeployment(d: Deployment, also: CompatContext) {
  const { call, ctx, site } = also
  const { user } = ctx.actor
  const project = await orUndefined(call(getProject, { params: { idOrName: d.projectId } }))
  const output: Output | undefined =
    d.readyState === 'READY' ? await orUndefined(call(api.getOutput, { params: { id: d.id } })) : undefined
  const state = shownState(d.readyState)
  const ready = output?.readyAt
  return {
    ...d,
    // Older versions call it otherwise.
    uid: d.id,
    // Clients read an absent name as one that is still to come, and one of an object as another thing.
    plan: shownPlan(d.plan),
    readyState: state,
    status: state,
    target: d.target ?? null,
    createdAt: d.createdAt,
    created: d.createdAt,
    // Where nothing was built it began when it was made. What waits says the same: clients refuse answers without it.
    buildingAt: (await orUndefined(also.findDeployment(d.id)))?.buildingAt ?? d.createdAt,
    bootedAt: d.createdAt,
    ...(ready === undefined ? {} : { ready, readyAt: ready }),
    ...(d.aliasAssigned && ready !== undefined ? { aliasAssignedAt: ready } : {}),
    creator: { uid: d.creator.uid, ...(d.creator.uid === user.id ? { username: user.username } : {}) },
    inspectorUrl: `${site}/deployments/${d.id}`,
    functions: null,
    lambdas: (output?.functions ?? []).map(({ path }) => ({
      id: `${d.id}-${path}`,
      entrypoint: path,
      createdAt: d.createdAt,
      readyState: 'READY',
      readyStateAt: ready ?? d.createdAt,
      output: [{ path, functionName: path }],
    })),
    buildSkipped: d.builds.length === 0,
    isInConcurrentBuildsQueue: d.queue !== undefined,
    isInSystemBuildsQueue: false,
    ttyBuildLogs: false,
    userAliases: [...d.aliasFinal],
    ...(project === undefined
      ? {}
      : {
          project: { id: project.id, name: project.name, framework: project.framework },
          projectSettings: settingsOf(project),
        }),
    ...teamOf(ctx),
  }
}

/** Later versions name one of the aliases, and older ones all of them. */
const showLater = async (d: Deployment, also: CompatContext) => ({
  ...(await showDeployment(d, also)),
  aliasFinal: d.aliasFinal[0] ?? null,
})

type Cancelled = ReplyOf<(typeof api.cancelDeployment)['reply']>

/** What this API answers stays as it is, beside what others ask for. */
const showCancelled = async (d: Cancelled, also: CompatContext) => ({
  ...(await showDeployment({ ...d, aliasFinal: [] }, also)),
  ...d,
})

type Listed = ReplyOf<(typeof api.listDeployments)['reply']>

/** When it was ready, and when its build was begun, of those that came so far. */
const timesOf = ({ buildingAt, readyAt }: Partial<StoredDeployment>) => ({
  ...(buildingAt === undefined ? {} : { buildingAt }),
  ...(readyAt == null ? {} : { ready: readyAt }),
})

async function showList({ deployments, pagination }: Listed, also: CompatContext) {
  const known = await also.findDeployments(deployments.map(({ uid }) => uid))
  return { deployments: deployments.map((d) => showListed(d, known.get(d.uid), also)), pagination }
}

function showListed(
  d: Listed['deployments'][number],
  known: StoredDeployment | undefined,
  { site, ctx }: CompatContext,
) {
  return {
    ...d,
    createdAt: d.created,
    state: shownState(d.state),
    readyState: shownState(d.state),
    ...timesOf(known ?? {}),
    type: 'LAMBDAS',
    target: d.target ?? null,
    inspectorUrl: `${site}/deployments/${d.uid}`,
    creator: {
      uid: d.creator.uid,
      ...(d.creator.uid === ctx.actor.user.id ? { username: ctx.actor.user.username } : {}),
    },
    aliasAssigned: d.state === 'READY',
  }
}

type Show = (d: Deployment, also: CompatContext) => unknown

/** From files, or once more from those of another deployment. */
const create =
  (show: Show) =>
  async (also: CompatContext): Promise<unknown> => {
    const { asked, call } = also
    const { deploymentId, target, meta, customEnvironmentSlugOrId } = asked.body ?? {}
    if (typeof deploymentId !== 'string')
      return show(await call(api.createDeployment, await readCreate(asked, also)), also)
    const body = {
      ...(typeof target === 'string' && TARGETS.has(target) ? { target } : {}),
      ...(typeof customEnvironmentSlugOrId === 'string' ? { customEnvironmentSlugOrId } : {}),
      ...(meta === undefined ? {} : { meta }),
    }
    return show(await call(api.redeployDeployment, { params: { id: deploymentId }, body }), also)
  }
const TARGETS = new Set(['production', 'staging', 'preview'])

/** Before all times: a filter that nothing passes leaves nothing, where it cannot be said to the endpoint. */
const NOTHING = { until: '0' } as const

/** Clients name environments that this API knows by the absence of one, and states that it does not have. */
const readListQuery = async (
  { query: asked }: CompatRequest,
  also: CompatContext,
): Promise<PartialRequest> => {
  const { target, state, url, branch, sha, projectIds, ...query } = asked
  const projectId = query.projectId ?? oneProject(projectIds)
  return {
    query: {
      ...query,
      ...(projectId === undefined ? {} : { projectId }),
      ...(isSaid(branch) ? { 'meta-gitBranch': branch } : {}),
      ...(isSaid(sha) ? { 'meta-gitCommitSha': sha } : {}),
      ...(isSaid(target) ? await readTarget(target, projectId, also) : {}),
      ...(isSaid(state) ? readStates(state) : {}),
    },
  }
}

function oneProject(ids: unknown): unknown {
  const several = Array.isArray(ids) || String(ids).includes(',')
  if (several) throw invalidRequest('deployments are listed of one project, or of all. Send one `projectIds`')
  return isSaid(ids) ? ids : undefined
}

/** An environment of the project that the list is about, by its slug or id, or one that every project has. */
async function readTarget(target: string, projectId: unknown, { call }: CompatContext): Promise<object> {
  if (target !== 'production' && typeof projectId === 'string') {
    const listed = await orUndefined(call(listEnvironments, { params: { idOrName: projectId } }))
    const found = listed?.environments.find(({ id, slug }) => id === target || slug === target)
    if (found) return { customEnvironmentId: found.id }
  }
  return TARGETS.has(target) ? { target } : NOTHING
}

/** All that are shown as the ones asked for. */
function readStates(text: string): object {
  const states = text
    .split(',')
    .map((state) => state.trim().toUpperCase())
    .filter((state) => state !== '' && !STATES_ELSEWHERE.has(state))
    .flatMap((state) => {
      const meant = api.READY_STATES.filter((each) => shownState(each) === state)
      return meant.length === 0 ? [state] : meant
    })
  return states.length === 0 ? NOTHING : { state: states.join(',') }
}
const STATES_ELSEWHERE = new Set(['QUEUED', 'CANCELED', 'DELETED', 'BLOCKED'])

const byHost = ({ query }: CompatRequest): PartialRequest => ({
  params: { id: String(query.url ?? query.hostname ?? '') },
})

const withBuilds = ({ builds }: ReplyOf<(typeof api.listBuilds)['reply']>, { asked }: CompatContext) => ({
  builds: builds.map(({ path, ...build }) => ({
    ...build,
    entrypoint: path,
    path,
    deploymentId: asked.params.id,
    readyState: shownState(build.readyState),
    createdAt: build.readyStateAt,
    output: [],
  })),
})

export const deploymentRows: readonly CompatRow[] = [
  {
    on: 'POST /v{4,5,6,7,8,9,10,11,12}{,/now}/deployments',
    is: api.createDeployment,
    answer: create(showDeployment),
  },
  { on: 'POST /v13{,/now}/deployments', is: api.createDeployment, answer: create(showLater) },
  {
    on: 'GET /v{10,11,12}{,/now}/deployments/get',
    is: api.getDeployment,
    read: byHost,
    show: showDeployment,
  },
  { on: 'GET /v13{,/now}/deployments/get', is: api.getDeployment, read: byHost, show: showLater },
  {
    on: 'GET /v{3,4,5,6,7,8,9,10,11,12}{,/now}/deployments/:id',
    is: api.getDeployment,
    show: showDeployment,
  },
  { on: 'GET /v13{,/now}/deployments/:id', is: api.getDeployment, show: showLater },
  { on: 'PATCH /v12/deployments/:id/cancel', is: api.cancelDeployment, show: showCancelled },
  { on: 'DELETE /v{3,4,5,6,9,10,11,12,13}{,/now}/deployments/:id', is: api.deleteDeployment },
  {
    on: 'GET /v{3,4,5,6,7}{,/now}/deployments',
    is: api.listDeployments,
    read: readListQuery,
    show: showList,
  },
  { on: 'GET /v{1,2,5,11}{,/now}/deployments/:id/builds', is: api.listBuilds, show: withBuilds },
  { on: 'GET /v{6,7}{,/now}/deployments/:id/files', is: api.listFiles },
  // Nothing checks deployments here, so that none has to be waited for.
  { on: 'GET /v1{,/now}/deployments/:id/checks', is: api.getDeployment, answer: () => ({ checks: [] }) },
  {
    on: 'GET /v2{,/now}/deployments/:id/check-runs',
    is: api.getDeployment,
    answer: () => ({ runs: [] }),
  },
]
