import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

export const ENV_TYPES = ['system', 'encrypted', 'plain', 'sensitive', 'secret'] as const
export type EnvType = (typeof ENV_TYPES)[number]
export const ENV_TARGETS = ['production', 'preview', 'development'] as const
export type EnvTarget = (typeof ENV_TARGETS)[number]

/** Of a project. */
export const MOST_VARIABLES = 1000
/** In one request. */
export const MOST_VARIABLES_AT_ONCE = 100

/** What the code of a deployment finds by itself, each after `PLATFORM_`, and after `VERCEL_`, by which frameworks know it. */
export const SYSTEM_VARIABLES = [
  ...(['ENV', 'TARGET_ENV', 'URL', 'BRANCH_URL', 'PROJECT_PRODUCTION_URL', 'REGION'] as const),
  ...(['DEPLOYMENT_ID', 'PROJECT_ID', 'GIT_PROVIDER', 'GIT_COMMIT_REF', 'GIT_COMMIT_SHA'] as const),
  ...(['GIT_COMMIT_MESSAGE', 'GIT_COMMIT_AUTHOR_LOGIN', 'GIT_PULL_REQUEST_ID'] as const),
  ...(['GIT_REPO_SLUG', 'GIT_REPO_OWNER'] as const),
] as const
export type SystemVariable = (typeof SYSTEM_VARIABLES)[number]

const strict = { additionalProperties: false } as const

/** The shape of the first version: secrets only. */
const First = Type.Object({
  key: Type.String(),
  value: Type.String(),
  installationId: Nullable(Type.String()),
  updatedAt: Time,
})

const Variable = Type.Object({
  id: Type.String(),
  key: Type.String(),
  value: Type.String(),
  type: Type.Enum(ENV_TYPES),
  target: Type.Array(Type.String()),
  gitBranch: Type.Optional(Type.String()),
  comment: Type.Optional(Type.String()),
  customEnvironmentId: Type.Optional(Type.String()),
  customEnvironmentIds: Type.Optional(Type.Array(Type.String())),
  configurationId: Nullable(Type.String()),
  createdAt: Time,
  createdBy: Nullable(Type.String()),
  updatedAt: Time,
  updatedBy: Nullable(Type.String()),
  decrypted: Type.Boolean(),
})

/** All places in which it is set: targets, and ids of the project's own environments. */
export const placesOf = ({
  target,
  customEnvironmentIds = [],
}: Pick<Static<typeof Variable>, 'target' | 'customEnvironmentIds'>): readonly string[] => [
  ...target,
  ...customEnvironmentIds,
]

/** Whether its value is shown to whoever may ask for it. */
export const isReadable = ({ type }: { readonly type: EnvType }): boolean =>
  type === 'plain' || type === 'encrypted'

const Key = Type.String({ description: 'Letters, digits and `_`; at most 256.' })
/** `production`, `preview`, `development`, or the id of a custom environment. */
const Target = Type.String({ minLength: 1, maxLength: 64 })
const Targets = Type.Optional(
  Type.Unsafe<string | string[]>({
    if: { type: 'string' },
    // biome-ignore lint/suspicious/noThenProperty: the word of JSON schema
    then: Target,
    else: Type.Array(Target, { maxItems: 10 }),
  }),
)
const Branch = Type.Optional(Nullable(Type.String({ maxLength: 250 })))
const Comment = Type.Optional(Nullable(Type.String({ maxLength: 500 })))
const CustomEnvironment = Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 64 })))
const CustomEnvironments = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: 20,
    description: 'Ids of custom environments in which it is set, in addition to the targets.',
  }),
)

/** A word of later clients for what `type` says already. */
const Visibility = Type.Optional(Type.String({ maxLength: 32, description: 'Ignored; use `type`.' }))

const CreateItem = Type.Object(
  {
    visibility: Visibility,
    key: Key,
    value: Type.String(),
    type: Type.Enum(ENV_TYPES),
    target: Targets,
    gitBranch: Branch,
    comment: Comment,
    customEnvironmentId: CustomEnvironment,
    customEnvironmentIds: CustomEnvironments,
  },
  strict,
)

/** Variables that a new project starts with. */
export const NewProjectVariables = Type.Array(
  Type.Object(
    {
      key: Key,
      value: Type.String(),
      type: Type.Optional(Type.Enum(ENV_TYPES)),
      target: Targets,
      gitBranch: Branch,
    },
    strict,
  ),
  { maxItems: MOST_VARIABLES_AT_ONCE },
)

/** Not a union: then an error would not say what is wrong with the form that was meant. */
const CreateBody = Type.Unsafe<Static<typeof CreateItem> | Static<typeof CreateItem>[]>({
  if: { type: 'array' },
  // biome-ignore lint/suspicious/noThenProperty: the word of JSON schema
  then: Type.Array(CreateItem, { minItems: 1, maxItems: MOST_VARIABLES_AT_ONCE }),
  else: CreateItem,
})

const PatchBody = Type.Object(
  {
    visibility: Visibility,
    key: Type.Optional(Key),
    value: Type.Optional(Type.String()),
    type: Type.Optional(Type.Enum(ENV_TYPES)),
    target: Targets,
    gitBranch: Branch,
    comment: Comment,
    customEnvironmentId: CustomEnvironment,
    customEnvironmentIds: CustomEnvironments,
  },
  strict,
)

const first = { access: needs('project-env-vars'), teamBySlug: true } as const
const current = { ...first, unauthenticated: 401 } as const

export const listVariablesFirst = endpoint({
  ...first,
  on: 'GET /v1/projects/:idOrName/env',
  summary: 'List the variables of a project that reference secrets and are set in all environments',
  reply: Type.Array(First),
})

export const setVariableFirst = endpoint({
  ...first,
  on: 'POST /v1/projects/:idOrName/env',
  summary: 'Set a variable to a secret, `@<name>`',
  body: Type.Object({ key: Key, value: Type.String() }),
  reply: Type.Array(First),
})

export const replaceVariablesFirst = endpoint({
  ...first,
  on: 'PUT /v1/projects/:idOrName/env',
  summary: 'Set variables to secrets, and remove all other such variables',
  body: Type.Object({
    env: Type.Record(Type.String(), Type.String(), { maxProperties: MOST_VARIABLES_AT_ONCE }),
  }),
  reply: Type.Array(First),
})

export const removeVariableFirst = endpoint({
  ...first,
  on: 'DELETE /v1/projects/:idOrName/env/:key',
  summary: 'Remove a variable, by its name',
  reply: Type.Array(First),
})

export const createVariables = endpoint({
  ...current,
  on: 'POST /v10/projects/:idOrName/env',
  summary: 'Create a variable, or several',
  status: 201,
  query: Type.Object({
    upsert: Type.Optional(Type.Boolean({ description: 'Overwrite an existing variable.' })),
  }),
  body: CreateBody,
  reply: Type.Object({
    created: Type.Union([Variable, Type.Array(Variable)]),
    failed: Type.Array(Type.Object({ error: Type.Record(Type.String(), Type.Unknown()) })),
  }),
})

export const listVariables = endpoint({
  ...current,
  on: 'GET /v9/projects/:idOrName/env',
  summary: 'List all variables of a project, newest first',
  query: Type.Object({
    decrypt: Type.Optional(Type.Boolean({ description: 'Include the values of encrypted variables.' })),
    gitBranch: Type.Optional(Type.String()),
    customEnvironmentId: Type.Optional(Type.String()),
    source: Type.Optional(Type.String({ description: 'Ignored.' })),
  }),
  reply: Type.Object({ envs: Type.Array(Variable) }),
})

export const getVariable = endpoint({
  ...current,
  on: 'GET /v1/projects/:idOrName/env/:id',
  summary: 'Get a variable with its value',
  reply: Variable,
})

export const updateVariable = endpoint({
  ...current,
  on: 'PATCH /v9/projects/:idOrName/env/:id',
  summary: 'Change a variable',
  body: PatchBody,
  reply: Variable,
})

export const removeVariable = endpoint({
  ...current,
  on: 'DELETE /v9/projects/:idOrName/env/:id',
  summary: 'Remove a variable',
  query: Type.Object({ customEnvironmentId: Type.Optional(Type.String()) }),
  reply: Variable,
})
