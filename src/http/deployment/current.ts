import { type createDeployment, FUNCTIONS_SHOWN, type redeployDeployment } from '#contract/api/deployment.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import type { CreateDeployment } from '#core/deployment/create/read-deployment-request.ts'
import type { Redeploy } from '#core/deployment/create/redeploy.ts'
import type { Build, Deployment } from '#core/deployment/deployment.ts'
import type { Deployments } from '#core/deployment/deployments.ts'
import type { Instance } from '#core/instance/instance.ts'
import { live } from './live.ts'

type Body = BodyOf<NonNullable<(typeof createDeployment)['body']>>

/** Only what the endpoint names: the words of older ones mean nothing here. */
export function readCreate(body: Body, { forceNew }: { readonly forceNew?: boolean }): CreateDeployment {
  const { version: _version, build, projectSettings } = body
  const { name, files, project, meta, env, builds, routes, regions, public: isPublic, target, alias } = body
  const given = { project, meta, env, builds, routes, regions, public: isPublic, target, alias, forceNew }
  return {
    name,
    files,
    ...(Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== undefined),
    ) as Partial<CreateDeployment>),
    ...(body.customEnvironmentSlugOrId === undefined
      ? {}
      : { customEnvironment: body.customEnvironmentSlugOrId }),
    ...(build?.env === undefined ? {} : { buildEnv: build.env }),
    ...(projectSettings === undefined ? {} : { newProject: readNewProject(projectSettings) }),
  }
}

const readNewProject = ({
  nodeVersion,
  rootDirectory,
}: NonNullable<Body['projectSettings']>): NonNullable<CreateDeployment['newProject']> => ({
  ...(nodeVersion === undefined ? {} : { nodeVersion }),
  ...(rootDirectory === undefined ? {} : { rootDirectory }),
})

export const readRedeploy = ({
  target,
  meta,
  customEnvironmentSlugOrId: customEnvironment,
}: BodyOf<NonNullable<(typeof redeployDeployment)['body']>>): Redeploy => ({
  ...(target === undefined ? {} : { target: target === 'preview' ? null : target }),
  ...(customEnvironment === undefined ? {} : { customEnvironment }),
  ...(meta === undefined ? {} : { meta }),
})

export const deployment = (d: Deployment) => ({
  id: d.id,
  url: d.host,
  name: d.name,
  meta: d.meta,
  version: 2,
  plan: d.plan,
  public: d.public,
  ownerId: d.ownerId,
  projectId: d.projectId,
  creator: { uid: d.creatorId },
  type: 'LAMBDAS',
  readyState: d.state,
  ...(d.failure ? { readyStateReason: d.failure.message } : {}),
  ...(d.queue && d.state === 'INITIALIZING' ? { queue: { ...d.queue } } : {}),
  createdAt: d.createdAt,
  ...live(d),
  createdIn: d.createdIn,
  regions: [...d.regions],
  routes: d.routes,
  builds: d.builds.map(({ src, use, config }) => ({
    src,
    use,
    ...(Object.keys(config).length > 0 ? { config } : {}),
  })),
  env: [...d.envKeys],
  build: { env: [...d.buildEnvKeys] },
  ...(d.target ? { target: d.target } : {}),
  ...(d.customEnvironment ? { customEnvironment: d.customEnvironment } : {}),
  alias: d.aliasAssigned ? [...d.aliasFinal] : [],
  aliasFinal: [...d.aliasFinal],
  aliasAssigned: d.aliasAssigned,
  aliasError: d.aliasError,
  ...(d.failure
    ? { errorCode: d.failure.code, errorMessage: d.failure.message, errorStep: d.failure.step }
    : {}),
})

export const listItem = (d: Deployment) => ({
  uid: d.id,
  name: d.name,
  url: d.host,
  created: d.createdAt,
  ...live(d),
  creator: { uid: d.creatorId },
  state: d.state,
  ...(d.failure ? { errorCode: d.failure.code } : {}),
  ...(d.target ? { target: d.target } : {}),
  ...(d.customEnvironment ? { customEnvironment: d.customEnvironment } : {}),
  projectId: d.projectId,
  meta: d.meta,
})

/** `regions`: those that the deployment is in. */
export const build = (d: Deployment, b: Build, regions: readonly string[]) => ({
  id: b.id,
  use: b.use,
  config: b.config,
  createdIn: d.createdIn,
  deployedTo: b.readyState === 'READY' ? [...regions] : [],
  readyState: b.readyState,
  readyStateAt: b.readyStateAt,
  path: b.path,
})

/** An instance has an address of its own: that of its deployment, with its id in the first label. */
export const instance = ({ host }: Deployment, { id }: Instance) => ({
  uid: id,
  url: (host ?? '').replace('.', `-${id}.`),
})

/** Without what is nobody's to see: variables, and the tokens that lead past kept answers. */
export const output = (
  { deployment: d, routes, files, functions, programs }: Awaited<ReturnType<Deployments['output']>>,
  instances: readonly Instance[],
) => ({
  stateAt: d.stateAt,
  ...(d.readyAt === null ? {} : { readyAt: d.readyAt }),
  files,
  routes: [...(routes ?? [])],
  functionCount: functions.length,
  functions: functions.slice(0, FUNCTIONS_SHOWN).map(({ path, program, prerender }) => ({
    path,
    program,
    ...(prerender === undefined ? {} : { revalidate: prerender.expiration }),
  })),
  programs: programs.map(
    ({ id, runtime, version, shape, entry, memoryMb, maxDuration, archive, fileCount }) => ({
      id,
      runtime,
      version,
      shape,
      entry,
      memoryMb,
      maxDuration,
      bytes: archive.size,
      fileCount,
    }),
  ),
  scale: d.scale,
  instances: instances.map((running) => ({
    id: running.id,
    url: instance(d, running).url,
    program: running.program,
    startedAt: running.startedAt,
  })),
})

export const deleted = (d: Deployment) => ({ uid: d.id, state: 'DELETED' as const })
