import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PLANS } from '../limit/limits.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { needs } from '../scopes.ts'
import { PROJECT_NODE_VERSIONS } from './node-versions.ts'
import { IsoTime, Nullable, Time } from './shared.ts'

export const READY_STATES = ['INITIALIZING', 'ANALYZING', 'BUILDING', 'DEPLOYING', 'READY', 'ERROR'] as const
export const LEGACY_STATES = [
  'DEPLOYING',
  'DEPLOYMENT_ERROR',
  'BOOTED',
  'BUILDING',
  'READY',
  'BUILD_ERROR',
  'FROZEN',
] as const
export const LEGACY_TYPES = ['NPM', 'DOCKER', 'STATIC'] as const
export const TARGETS = ['staging', 'production'] as const

/** What a list may be narrowed to; a preview is what was made for nothing else. */
export const LISTED_TARGETS = [...TARGETS, 'preview'] as const

export type ReadyState = (typeof READY_STATES)[number]
export type LegacyState = (typeof LEGACY_STATES)[number]
export type LegacyType = (typeof LEGACY_TYPES)[number]
export type Target = (typeof TARGETS)[number]
export type ListedTarget = (typeof LISTED_TARGETS)[number]

export const LiveAt = Type.Optional(
  Type.Integer({ minimum: 0, description: 'When it went to production; absent if it never did.' }),
)

const ReadyStateSchema = Type.Enum(READY_STATES)
const LegacyStateSchema = Type.Enum(LEGACY_STATES)
const AnyMap = Type.Record(Type.String(), Type.Unknown())
const StringMap = Type.Record(Type.String(), Type.String())

/** 64 MB: thousands of inline files fit into one request. */
const CREATE_LIMIT = 64 * 1000 * 1000

const FileInput = Type.Object({
  file: Type.String({ description: 'The full path of the file.' }),
  data: Type.Optional(Type.String({ description: 'The content, for a file inside the request.' })),
  encoding: Type.Optional(Type.Enum(['base64', 'utf-8'] as const)),
  sha: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{40}$', description: 'The SHA-1 of a file that was uploaded.' }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 0 })),
  mode: Type.Optional(Type.Integer({ minimum: 0 })),
})

const BuildInput = Type.Object({
  src: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
  use: Type.String({ minLength: 3, maxLength: 256 }),
  config: Type.Optional(AnyMap),
})

const EnvironmentOf = Type.Object(
  { id: Type.String(), slug: Type.String() },
  { description: 'The custom environment it was created for, by its name at that time.' },
)
const RequestedEnvironment = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'A custom environment of the project, instead of a `target`.',
  }),
)

const Deployment = Type.Object({
  id: Type.String(),
  url: Nullable(Type.String()),
  name: Type.String(),
  meta: StringMap,
  version: Type.Integer(),
  plan: Type.Enum(PLANS),
  public: Type.Boolean(),
  ownerId: Type.String(),
  projectId: Type.String(),
  creator: Type.Object({ uid: Type.String() }),
  type: Type.String(),
  readyState: ReadyStateSchema,
  readyStateReason: Type.Optional(Type.String()),
  queue: Type.Optional(
    Type.Object(
      {
        ahead: Type.Integer({ minimum: 0, description: 'Builds that start before it.' }),
        expectedAt: Type.Optional(Time),
      },
      { description: 'While its build is queued: its position, and about when it starts.' },
    ),
  ),
  createdAt: Time,
  liveAt: LiveAt,
  createdIn: Type.String(),
  regions: Type.Array(Type.String()),
  routes: Type.Unsafe<readonly unknown[] | null>({ type: ['array', 'null'], items: {} }),
  builds: Type.Array(Type.Unknown()),
  env: Type.Array(Type.String()),
  build: Type.Object({ env: Type.Array(Type.String()) }),
  target: Type.Optional(Type.Enum(TARGETS)),
  customEnvironment: Type.Optional(EnvironmentOf),
  alias: Type.Array(Type.String()),
  aliasFinal: Type.Array(Type.String()),
  aliasAssigned: Type.Boolean(),
  aliasError: Type.Unsafe<{ code: string; message: string } | null>({
    type: ['object', 'null'],
    properties: { code: { type: 'string' }, message: { type: 'string' } },
  }),
  errorCode: Type.Optional(Type.String()),
  errorMessage: Type.Optional(Type.String()),
  errorStep: Type.Optional(Type.String()),
})

export const createDeployment = endpoint({
  access: needs('deployment'),
  on: 'POST /v8/platform/deployments',
  summary: 'Create a deployment from files',
  limit: 'create-deployment',
  bodyLimit: CREATE_LIMIT,
  detailedErrors: true,
  binaryText: true,
  query: Type.Object({
    forceNew: Type.Optional(
      Type.Boolean({ description: 'Create a new deployment even if nothing changed.' }),
    ),
  }),
  body: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 52 }),
    version: Type.Literal(2),
    files: Type.Array(FileInput),
    project: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    meta: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { maxProperties: 100 })),
    env: Type.Optional(AnyMap),
    build: Type.Optional(Type.Object({ env: Type.Optional(AnyMap) })),
    builds: Type.Optional(Type.Array(BuildInput, { maxItems: 128 })),
    routes: Type.Optional(Type.Unknown({ description: 'A list of route rules.' })),
    regions: Type.Optional(Type.Array(Type.String(), { maxItems: 32 })),
    public: Type.Optional(Type.Boolean()),
    target: Type.Optional(Type.Enum(TARGETS)),
    customEnvironmentSlugOrId: RequestedEnvironment,
    alias: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    projectSettings: Type.Optional(
      Type.Object(
        {
          nodeVersion: Type.Optional(Type.Enum(PROJECT_NODE_VERSIONS)),
          rootDirectory: Type.Optional(
            Nullable(
              Type.String({
                maxLength: 256,
                description: 'Where among the files the folder of the project is.',
              }),
            ),
          ),
        },
        {
          description:
            'Settings of a project that this deployment creates. Existing projects keep their settings.',
        },
      ),
    ),
  }),
  reply: Deployment,
})

export const redeployDeployment = endpoint({
  access: needs('deployment'),
  on: 'POST /v1/deployments/:id/redeploy',
  summary: 'Redeploy the files of a deployment with the current variables and settings',
  limit: 'create-deployment',
  body: Type.Object({
    target: Type.Optional(Type.Enum(LISTED_TARGETS, { description: 'Defaults to the original target.' })),
    customEnvironmentSlugOrId: RequestedEnvironment,
    meta: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { maxProperties: 100 })),
  }),
  reply: Deployment,
})

export const cancelDeployment = endpoint({
  access: needs('deployment'),
  on: 'PATCH /v12/deployments/:id/cancel',
  summary: 'Cancel the queued or running build of a deployment',
  reply: Type.Object({
    ...Deployment.properties,
    aliasFinal: Type.Null({ description: 'A cancelled deployment gets no aliases.' }),
  }),
})

const listQuery = {
  ...pageQuery,
  app: Type.Optional(Type.String({ description: 'Only deployments of this name.' })),
  projectId: Type.Optional(Type.String()),
  state: Type.Optional(Type.String({ description: 'One or more states, separated by commas.' })),
  target: Type.Optional(Type.Enum(LISTED_TARGETS)),
  customEnvironmentId: Type.Optional(
    Type.String({ description: 'Only deployments of this custom environment, instead of a `target`.' }),
  ),
  from: Type.Optional(Type.Integer({ minimum: 0, description: 'Created after this time (ms).' })),
  to: Type.Optional(Type.Integer({ minimum: 0, description: 'Created before this time (ms).' })),
  users: Type.Optional(Type.String({ description: 'Ids of creators, separated by commas.' })),
}

/** `meta-<KEY>=<value>` filters come in any number, so the schema lets other keys pass. */
const ListQuery = Type.Object(listQuery)

export const listDeployments = endpoint({
  access: needs('deployment'),
  on: 'GET /v3/platform/deployments',
  keepable: true,
  summary: 'List deployments, newest first',
  query: ListQuery,
  reply: Type.Object({
    deployments: Type.Array(
      Type.Object({
        uid: Type.String(),
        name: Type.String(),
        url: Nullable(Type.String()),
        created: Time,
        liveAt: LiveAt,
        creator: Type.Object({ uid: Type.String() }),
        state: ReadyStateSchema,
        errorCode: Type.Optional(Type.String({ description: 'Why its state is `ERROR`.' })),
        target: Type.Optional(Type.Enum(TARGETS)),
        customEnvironment: Type.Optional(EnvironmentOf),
        projectId: Type.String(),
        meta: StringMap,
      }),
    ),
    pagination: PaginationSchema,
  }),
})

export const getDeployment = endpoint({
  access: needs('deployment'),
  on: 'GET /v8/platform/deployments/:id',
  keepable: true,
  summary: 'Get a deployment by id or host',
  reply: Deployment,
})

const Deleted = Type.Object({ uid: Type.String(), state: Type.Literal('DELETED') })

export const deleteDeployment = endpoint({
  access: needs('deployment'),
  on: 'DELETE /v8/platform/deployments/:id',
  summary: 'Delete a deployment; its URL stops working',
  reply: Deleted,
})

/** Folders nest, so the entries are described by their first level only. */
const FileTree = Type.Array(Type.Unsafe<unknown>({ type: 'object', additionalProperties: true }))

export const listFiles = endpoint({
  access: needs('deployment'),
  on: 'GET /v5/platform/deployments/:id/files',
  summary: 'Get the files of a deployment as a tree',
  reply: FileTree,
  streamed: true,
})

export const getFile = endpoint({
  access: needs('deployment'),
  on: 'GET /v5/platform/deployments/:id/files/:fileId',
  summary: 'Get the content of a file',
  reply: 'raw',
})

export const listBuilds = endpoint({
  access: needs('deployment'),
  on: 'GET /v5/platform/deployments/:id/builds',
  summary: 'List the builds of a deployment',
  reply: Type.Object({
    builds: Type.Array(
      Type.Object({
        id: Type.String(),
        use: Type.String(),
        config: AnyMap,
        createdIn: Type.String(),
        deployedTo: Type.Array(Type.String()),
        readyState: ReadyStateSchema,
        readyStateAt: Time,
        path: Type.String(),
      }),
    ),
  }),
})

export const RUNTIMES = ['node', 'bun', 'python', 'docker'] as const
export const SHAPES = ['handler', 'web', 'edge', 'command'] as const

/** The most functions that one answer names. */
export const FUNCTIONS_SHOWN = 1000

export const getOutput = endpoint({
  access: needs('deployment'),
  on: 'GET /v1/deployments/:id/output',
  summary: 'Get the output of a deployment and its running functions',
  reply: Type.Object({
    stateAt: Type.Integer({ minimum: 0, description: 'When the deployment reached its current state.' }),
    readyAt: Type.Optional(Time),
    files: Type.Object(
      { count: Type.Integer(), bytes: Type.Integer() },
      { description: 'Files that are served as they are.' },
    ),
    routes: Type.Array(Type.Unknown(), { description: 'In the order in which they are matched.' }),
    functionCount: Type.Integer(),
    functions: Type.Array(
      Type.Object({
        path: Type.String(),
        program: Type.String(),
        revalidate: Type.Optional(
          Type.Unsafe<number | false>({
            type: ['integer', 'boolean'],
            description: 'Seconds for which a response is cached; false: forever.',
          }),
        ),
      }),
      { description: `The paths that functions handle, at most ${FUNCTIONS_SHOWN}.` },
    ),
    programs: Type.Array(
      Type.Object({
        id: Type.String(),
        runtime: Type.Enum(RUNTIMES),
        version: Type.String(),
        shape: Type.Enum(SHAPES),
        entry: Type.String(),
        memoryMb: Type.Integer(),
        maxDuration: Type.Integer({ description: 'Maximum duration of a request in seconds.' }),
        bytes: Type.Integer(),
        fileCount: Type.Integer(),
      }),
    ),
    scale: Type.Object({ min: Type.Integer(), max: Type.Integer() }),
    instances: Type.Array(
      Type.Object({ id: Type.String(), url: Type.String(), program: Type.String(), startedAt: Time }),
    ),
  }),
})

export const listInstances = endpoint({
  access: needs('deployment'),
  on: 'GET /v1/platform/deployments/:id/instances',
  gen: 'legacy',
  summary: 'List the running instances of a deployment',
  reply: Type.Object({ instances: Type.Array(Type.Object({ uid: Type.String(), url: Type.String() })) }),
})

const ScaleSchema = Type.Object({ min: Type.Integer({ minimum: 0 }), max: Type.Integer({ minimum: 0 }) })

export const scaleInstances = endpoint({
  access: needs('deployment'),
  on: 'POST /v1/platform/deployments/:id/instances',
  gen: 'legacy',
  summary: 'Set the number of instances of a deployment',
  body: ScaleSchema,
  reply: ScaleSchema,
})

const Warning = Type.Object({
  reason: Type.String(),
  sha: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer()),
  wanted: Type.Optional(Type.String()),
  used: Type.Optional(Type.String()),
  key: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
})

export const legacyCreate = endpoint({
  access: needs('deployment'),
  on: 'POST /v3/platform/deployments',
  gen: 'legacy',
  summary: 'Start a deployment; it completes when the missing files are uploaded',
  limit: 'create-deployment',
  bodyLimit: CREATE_LIMIT,
  detailedErrors: true,
  binaryText: true,
  body: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 52 }),
    deploymentType: Type.String({ minLength: 1, maxLength: 16 }),
    public: Type.Boolean(),
    files: Type.Array(FileInput),
    forceNew: Type.Optional(Type.Boolean()),
    env: Type.Optional(AnyMap),
    registryAuthToken: Type.Optional(Type.String({ maxLength: 4096 })),
    engines: Type.Optional(AnyMap),
    sessionAffinity: Type.Optional(Type.Unknown()),
    config: Type.Optional(AnyMap),
  }),
  reply: Type.Object({
    totalSize: Type.Integer(),
    missing: Type.Array(Type.String()),
    deploymentId: Type.String(),
    url: Nullable(Type.String()),
    warnings: Type.Array(Warning),
    nodeVersion: Nullable(Type.String()),
  }),
})

export const legacyList = endpoint({
  access: needs('deployment'),
  on: 'GET /v2/platform/deployments',
  keepable: true,
  gen: 'legacy',
  summary: 'List deployments, in the legacy format',
  query: ListQuery,
  reply: Type.Object({
    deployments: Type.Array(
      Type.Object({
        uid: Type.String(),
        name: Type.String(),
        url: Nullable(Type.String()),
        created: Type.String(),
        creator: Type.Object({ uid: Type.String() }),
        state: LegacyStateSchema,
        type: Type.Enum(LEGACY_TYPES),
        scale: Type.Object({ current: Type.Integer(), min: Type.Integer(), max: Type.Integer() }),
      }),
    ),
    pagination: PaginationSchema,
  }),
})

export const legacyGet = endpoint({
  access: needs('deployment'),
  on: 'GET /v2/platform/deployments/:id',
  keepable: true,
  gen: 'legacy',
  summary: 'Get a deployment, in the legacy format',
  reply: Type.Object({
    uid: Type.String(),
    host: Nullable(Type.String()),
    state: LegacyStateSchema,
    type: Type.Enum(LEGACY_TYPES),
    stateTs: IsoTime,
    scale: Type.Object({ min: Type.Integer(), max: Type.Integer(), auto: Type.Boolean() }),
  }),
})

export const legacy = {
  deleteDeployment: endpoint({
    ...deleteDeployment,
    gen: 'legacy',
    on: 'DELETE /v2/platform/deployments/:id',
  }),
  listFiles: endpoint({ ...listFiles, gen: 'legacy', on: 'GET /v2/platform/deployments/:id/files' }),
  getFile: endpoint({ ...getFile, gen: 'legacy', on: 'GET /v2/platform/deployments/:id/files/:fileId' }),
}

export const earliest = {
  listDeployments: endpoint({
    access: needs('deployment'),
    on: 'GET /platform/deployments',
    keepable: true,
    gen: 'earliest',
    summary: 'List deployments, in the earliest format',
    query: ListQuery,
    reply: Type.Object({
      deployments: Type.Array(
        Type.Object({
          uid: Type.String(),
          name: Type.String(),
          url: Nullable(Type.String()),
          created: Type.String(),
        }),
      ),
      pagination: PaginationSchema,
    }),
  }),
  getDeployment: endpoint({
    access: needs('deployment'),
    on: 'GET /platform/deployments/:id',
    keepable: true,
    gen: 'earliest',
    summary: 'Get a deployment, in the earliest format',
    reply: Type.Object({
      uid: Type.String(),
      host: Nullable(Type.String()),
      state: LegacyStateSchema,
      stateTs: IsoTime,
    }),
  }),
  createDeployment: endpoint({
    access: needs('deployment'),
    on: 'POST /platform/deployments',
    gen: 'earliest',
    summary: 'Create a deployment: `package` is its manifest, every other key a file',
    limit: 'create-deployment',
    bodyLimit: CREATE_LIMIT,
    binaryText: true,
    body: AnyMap,
    reply: Type.Object({ uid: Type.String(), host: Nullable(Type.String()), state: Type.Literal('BOOTING') }),
  }),
  deleteDeployment: endpoint({
    ...deleteDeployment,
    gen: 'earliest',
    on: 'DELETE /platform/deployments/:id',
  }),
  listFiles: endpoint({ ...listFiles, gen: 'earliest', on: 'GET /platform/deployments/:id/files' }),
  getFile: endpoint({ ...getFile, gen: 'earliest', on: 'GET /platform/deployments/:id/files/:fileId' }),
}
