import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { needs } from '../scopes.ts'
import { LiveAt, READY_STATES, TARGETS } from './deployment.ts'
import { NewProjectVariables } from './env-variable.ts'
import { PROJECT_NODE_VERSIONS } from './node-versions.ts'
import { Nullable, Time } from './shared.ts'

export const FRAMEWORKS = [
  'blitzjs',
  'nextjs',
  'gatsby',
  'remix',
  'astro',
  'hexo',
  'eleventy',
  'docusaurus-2',
  'docusaurus',
  'preact',
  'solidstart-1',
  'solidstart',
  'dojo',
  'ember',
  'vue',
  'scully',
  'ionic-angular',
  'angular',
  'polymer',
  'svelte',
  'sveltekit',
  'sveltekit-1',
  'ionic-react',
  'create-react-app',
  'gridsome',
  'umijs',
  'sapper',
  'saber',
  'stencil',
  'nuxtjs',
  'redwoodjs',
  'hugo',
  'jekyll',
  'brunch',
  'middleman',
  'zola',
  'hydrogen',
  'vite',
  'vitepress',
  'vuepress',
  'parcel',
  'sanity',
  'storybook',
] as const
export type Framework = (typeof FRAMEWORKS)[number]

export const GIT_TYPES = ['github', 'gitlab', 'bitbucket'] as const
export type GitType = (typeof GIT_TYPES)[number]

/** Which hosts of a project a protection covers. */
export const PROTECTED_TYPES = ['all', 'preview', 'prod_deployment_urls_and_all_previews'] as const
export type ProtectedType = (typeof PROTECTED_TYPES)[number]
export const TRUSTED_TYPES = [...PROTECTED_TYPES, 'production'] as const
export type TrustedType = (typeof TRUSTED_TYPES)[number]
export const PROTECTION_MODES = ['additional', 'exclusive'] as const
export type ProtectionMode = (typeof PROTECTION_MODES)[number]

export const ALIAS_REQUEST_TYPES = ['promote', 'rollback'] as const
export const ALIAS_REQUEST_STATES = ['succeeded', 'failed', 'skipped', 'pending', 'in-progress'] as const

const strict = { additionalProperties: false } as const
const NullableObject = <T>(properties: Record<string, unknown> = {}) =>
  Type.Unsafe<T | null>({ type: ['object', 'null'], properties, additionalProperties: true })

const Line = (maxLength: number) => Type.Optional(Nullable(Type.String({ maxLength })))
const Switch = Type.Optional(Type.Boolean())

/** The shape of the first version. */
export const ProjectBrief = Type.Object({
  id: Type.String(),
  name: Type.String(),
  accountId: Type.String(),
  createdAt: Time,
  updatedAt: Time,
})

/** A deployment as projects speak of it. */
const Shown = Type.Object({
  id: Type.String(),
  alias: Type.Array(Type.String()),
  aliasAssigned: Type.Boolean(),
  aliasError: NullableObject<{ code: string; message: string }>({
    code: { type: 'string' },
    message: { type: 'string' },
  }),
  createdAt: Time,
  createdIn: Type.String(),
  creator: NullableObject<{ uid: string; email: string; username: string }>({
    uid: { type: 'string' },
    email: { type: 'string' },
    username: { type: 'string' },
  }),
  deploymentHostname: Type.String(),
  name: Type.String(),
  meta: Type.Record(Type.String(), Type.String()),
  plan: Type.Enum(['hobby', 'pro', 'enterprise'] as const),
  private: Type.Boolean(),
  readyAt: Type.Optional(Time),
  liveAt: LiveAt,
  readyState: Type.Enum(READY_STATES),
  errorCode: Type.Optional(Type.String({ description: 'Why its state is `ERROR`.' })),
  target: Type.Optional(Type.Enum(TARGETS)),
  teamId: Nullable(Type.String()),
  type: Type.Literal('LAMBDAS'),
  url: Nullable(Type.String()),
  userId: Type.String(),
})

const AliasRequestSchema = NullableObject<{
  fromDeploymentId: string | null
  toDeploymentId: string
  jobStatus: string
  requestedAt: number
  type: string
}>({
  fromDeploymentId: { type: ['string', 'null'] },
  toDeploymentId: { type: 'string' },
  jobStatus: { type: 'string', enum: ALIAS_REQUEST_STATES },
  requestedAt: { type: 'integer' },
  type: { type: 'string', enum: ALIAS_REQUEST_TYPES },
})

const Addresses = Type.Array(
  Type.Object({ value: Type.String(), note: Type.Optional(Type.String({ maxLength: 256 })) }, strict),
  { minItems: 1, maxItems: 100 },
)
const Paths = Type.Array(Type.Object({ value: Type.String({ minLength: 1, maxLength: 1024 }) }, strict), {
  maxItems: 100,
})

/** By the secret itself. */
const BypassSecrets = Type.Record(
  Type.String(),
  Type.Object({ createdAt: Time, createdBy: Type.String(), scope: Type.Literal('automation-bypass') }),
)

const Project = Type.Object({
  accountId: Type.String(),
  autoAssignCustomDomains: Type.Boolean(),
  autoAssignCustomDomainsUpdatedBy: Type.Optional(Type.String()),
  autoExposeSystemEnvs: Type.Boolean(),
  buildCommand: Nullable(Type.String()),
  commandForIgnoringBuildStep: Nullable(Type.String()),
  createdAt: Time,
  customerSupportCodeVisibility: Type.Boolean(),
  dataCache: Type.Object({
    userDisabled: Type.Boolean(),
    storageSizeBytes: Type.Integer(),
    unlimited: Type.Boolean(),
  }),
  devCommand: Nullable(Type.String()),
  directoryListing: Type.Boolean(),
  enablePreviewFeedback: Nullable(Type.Boolean()),
  framework: Nullable(Type.String()),
  gitForkProtection: Type.Boolean(),
  gitLFS: Type.Boolean(),
  id: Type.String(),
  installCommand: Nullable(Type.String()),
  lastAliasRequest: AliasRequestSchema,
  lastRollbackTarget: AliasRequestSchema,
  latestDeployments: Type.Array(Shown),
  link: Type.Optional(Type.Unsafe<unknown>({ type: 'object', additionalProperties: true })),
  live: Type.Boolean(),
  name: Type.String(),
  nodeVersion: Type.String(),
  optionsAllowlist: NullableObject<{ paths: readonly { value: string }[] }>({
    paths: { type: 'array', items: { type: 'object', properties: { value: { type: 'string' } } } },
  }),
  outputDirectory: Nullable(Type.String()),
  passwordProtection: NullableObject<{ deploymentType: string }>({ deploymentType: { type: 'string' } }),
  paused: Type.Boolean(),
  protectionBypass: Type.Optional(BypassSecrets),
  publicSource: Nullable(Type.Boolean()),
  rootDirectory: Nullable(Type.String()),
  serverlessFunctionRegion: Nullable(Type.String()),
  serverlessFunctionZeroConfigFailover: Type.Boolean(),
  emailOnFailedBuild: Type.Boolean(),
  skewProtectionBoundaryAt: Type.Optional(Type.Integer()),
  skewProtectionMaxAge: Type.Optional(Type.Integer()),
  skipGitConnectDuringLink: Type.Boolean(),
  sourceFilesOutsideRootDirectory: Type.Boolean(),
  ssoProtection: NullableObject<{ deploymentType: string }>({ deploymentType: { type: 'string' } }),
  targets: Type.Record(Type.String(), Shown),
  transferCompletedAt: Type.Optional(Time),
  transferStartedAt: Type.Optional(Time),
  transferToAccountId: Type.Optional(Type.String()),
  transferredFromAccountId: Type.Optional(Type.String()),
  trustedIps: NullableObject<unknown>({
    deploymentType: { type: 'string' },
    protectionMode: { type: 'string' },
    addresses: { type: 'array', items: { type: 'object', additionalProperties: true } },
  }),
  updatedAt: Time,
})

const FrameworkField = Type.Optional(Type.Unsafe<Framework | null>({ enum: [...FRAMEWORKS, null] }))

/** What both the creation and a change may set. */
const settings = {
  buildCommand: Line(256),
  commandForIgnoringBuildStep: Line(256),
  devCommand: Line(256),
  installCommand: Line(256),
  outputDirectory: Line(256),
  rootDirectory: Line(256),
  serverlessFunctionRegion: Line(16),
  framework: FrameworkField,
  publicSource: Type.Optional(Nullable(Type.Boolean())),
  skipGitConnectDuringLink: Switch,
}

const CreateBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    ...settings,
    gitRepository: Type.Optional(
      Type.Object(
        { type: Type.Enum(GIT_TYPES), repo: Type.String({ minLength: 3, maxLength: 256 }) },
        strict,
      ),
    ),
    serverlessFunctionZeroConfigFailover: Type.Optional(Type.Unknown()),
    environmentVariables: Type.Optional(NewProjectVariables),
  },
  strict,
)

const PatchBody = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    ...settings,
    autoAssignCustomDomains: Switch,
    autoAssignCustomDomainsUpdatedBy: Type.Optional(Type.String({ maxLength: 256 })),
    autoExposeSystemEnvs: Switch,
    customerSupportCodeVisibility: Switch,
    directoryListing: Switch,
    enablePreviewFeedback: Type.Optional(Nullable(Type.Boolean())),
    gitForkProtection: Switch,
    gitLFS: Switch,
    productionBranch: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 250 }))),
    serverlessFunctionZeroConfigFailover: Switch,
    sourceFilesOutsideRootDirectory: Switch,
    nodeVersion: Type.Optional(Type.Enum(PROJECT_NODE_VERSIONS)),
    optionsAllowlist: Type.Optional(
      Type.Unsafe<{ paths: Static<typeof Paths> } | null>({
        ...Type.Object({ paths: Paths }, strict),
        type: ['object', 'null'],
      }),
    ),
    passwordProtection: Type.Optional(
      Type.Unsafe<{ deploymentType: ProtectedType; password?: string | null } | null>({
        ...Type.Object(
          {
            deploymentType: Type.Enum(PROTECTED_TYPES),
            password: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 72 }))),
          },
          strict,
        ),
        type: ['object', 'null'],
      }),
    ),
    ssoProtection: Type.Optional(
      Type.Unsafe<{ deploymentType: ProtectedType } | null>({
        ...Type.Object({ deploymentType: Type.Enum(PROTECTED_TYPES) }, strict),
        type: ['object', 'null'],
      }),
    ),
    trustedIps: Type.Optional(
      Type.Unsafe<{
        deploymentType: TrustedType
        addresses: Static<typeof Addresses>
        protectionMode: ProtectionMode
      } | null>({
        ...Type.Object(
          {
            deploymentType: Type.Enum(TRUSTED_TYPES),
            addresses: Addresses,
            protectionMode: Type.Enum(PROTECTION_MODES),
          },
          strict,
        ),
        type: ['object', 'null'],
      }),
    ),
    emailOnFailedBuild: Switch,
    skewProtectionBoundaryAt: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    skewProtectionMaxAge: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  },
  strict,
)

const ListQuery = Type.Object({
  limit: pageQuery.limit,
  from: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Only projects updated after this time (ms).' }),
  ),
  until: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Only projects updated before this time (ms); pass `next` here.',
    }),
  ),
  search: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the name.' })),
  repo: Type.Optional(Type.String({ description: 'Only projects linked to this repository, `owner/name`.' })),
  repoId: Type.Optional(Type.String()),
  repoUrl: Type.Optional(Type.String()),
  excludeRepos: Type.Optional(Type.String({ description: 'Repositories to exclude, separated by commas.' })),
  gitForkProtection: Type.Optional(Type.Enum(['1', '0'] as const)),
  edgeConfigId: Type.Optional(Type.String()),
  edgeConfigTokenId: Type.Optional(Type.String()),
  deprecated: Type.Optional(Type.Boolean({ description: 'Ignored.' })),
})

/** The versions that the documents' table of statuses covers answer 401 to strangers. */
const first = { access: needs('project'), teamBySlug: true } as const
export const current = { ...first, unauthenticated: 401 } as const

export const ensureProject = endpoint({
  ...first,
  on: 'POST /v1/projects/ensure-project',
  summary: 'Create a project unless one with that name exists; the name is converted to a slug',
  body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }),
  reply: ProjectBrief,
})

export const listProjectsFirst = endpoint({
  ...first,
  on: 'GET /v1/projects/list',
  summary: 'List projects, most recently updated first',
  query: Type.Object({
    limit: pageQuery.limit,
    from: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Start at this `updatedAt`, newest first.' }),
    ),
    search: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the name.' })),
  }),
  reply: Type.Array(ProjectBrief),
})

export const getProjectFirst = endpoint({
  ...first,
  on: 'GET /v1/projects/:idOrName',
  summary: 'Get a project by its id or name',
  reply: ProjectBrief,
})

export const deleteProjectFirst = endpoint({
  ...first,
  on: 'DELETE /v1/projects/:idOrName',
  summary: 'Delete a project and its deployments, aliases and variables',
  status: 204,
  reply: 'empty',
})

export const createProject = endpoint({
  ...current,
  on: 'POST /v10/projects',
  summary: 'Create a project',
  body: CreateBody,
  reply: Project,
})

export const listProjects = endpoint({
  ...current,
  on: 'GET /v9/projects',
  summary: 'List projects, most recently updated first',
  query: ListQuery,
  reply: Type.Object({ projects: Type.Array(Project), pagination: PaginationSchema }),
})

export const getProject = endpoint({
  ...current,
  on: 'GET /v9/projects/:idOrName',
  summary: 'Get a project by its id or name',
  reply: Project,
})

export const updateProject = endpoint({
  ...current,
  on: 'PATCH /v9/projects/:idOrName',
  summary: 'Change the settings of a project',
  body: PatchBody,
  reply: Project,
})

export const deleteProject = endpoint({
  ...current,
  on: 'DELETE /v9/projects/:idOrName',
  summary: 'Delete a project and its deployments, aliases and variables',
  status: 204,
  reply: 'empty',
})

export const updateDataCache = endpoint({
  ...current,
  on: 'PATCH /v1/data-cache/projects/:projectId',
  summary: 'Enable or disable the data cache of a project',
  body: Type.Object({ disabled: Type.Optional(Type.Boolean()) }, strict),
  reply: Project,
})

const BypassSecret = Type.String({ pattern: '^[0-9A-Za-z]{32}$', description: '32 letters and digits.' })

export const changeProtectionBypass = endpoint({
  ...first,
  on: 'PATCH /v1/projects/:idOrName/protection-bypass',
  summary: 'Create or revoke an automation bypass secret of a project',
  body: Type.Object(
    {
      revoke: Type.Optional(
        Type.Object(
          {
            secret: Type.String({ minLength: 1, maxLength: 256 }),
            regenerate: Type.Boolean({ description: 'Create a replacement.' }),
          },
          strict,
        ),
      ),
      generate: Type.Optional(Type.Object({ secret: Type.Optional(BypassSecret) }, strict)),
    },
    strict,
  ),
  reply: Type.Object({ protectionBypass: BypassSecrets }),
})
