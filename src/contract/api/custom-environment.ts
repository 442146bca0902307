import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'
import { ProjectDomain } from './project-domain.ts'
import { Nullable, Time } from './shared.ts'

export const BRANCH_MATCHES = ['equals', 'startsWith', 'endsWith'] as const
export type BranchMatch = (typeof BRANCH_MATCHES)[number]

/** Of one project. */
export const MOST_ENVIRONMENTS = 20

const BranchMatcher = Type.Object(
  {
    type: Type.Enum(BRANCH_MATCHES),
    pattern: Type.String({ minLength: 1, maxLength: 250 }),
  },
  { additionalProperties: false },
)

const Environment = Type.Object({
  id: Type.String(),
  slug: Type.String(),
  type: Type.Literal('preview', {
    description: 'Custom environments count as previews for protection, analytics and system variables.',
  }),
  description: Type.Optional(Type.String()),
  branchMatcher: Type.Optional(BranchMatcher),
  domains: Type.Array(ProjectDomain),
  currentDeploymentAliases: Type.Array(Type.String(), {
    description: 'The domains that serve its newest deployment.',
  }),
  createdAt: Time,
  updatedAt: Time,
})

/** What environments can be called, but for the names of those that every project has. */
export const ENVIRONMENT_SLUG = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/

const Slug = Type.String({
  minLength: 1,
  maxLength: 32,
  description:
    'Lowercase letters, digits and `-`, such as `staging`; not `production`, `preview` or `development`.',
})
const Description = Type.String({ maxLength: 256 })
const Matcher = Type.Optional(Nullable(BranchMatcher))

const common = { teamBySlug: true, unauthenticated: 401, access: needs('project') } as const

export const listEnvironments = endpoint({
  ...common,
  on: 'GET /v9/projects/:idOrName/custom-environments',
  summary: 'List the custom environments of a project, oldest first',
  query: Type.Object({
    gitBranch: Type.Optional(
      Type.String({ description: 'Only the environment that pushes to this branch are deployed to.' }),
    ),
  }),
  reply: Type.Object({
    accountLimit: Type.Object({ total: Type.Integer({ description: 'How many a project can have.' }) }),
    environments: Type.Array(Environment),
  }),
})

export const createEnvironment = endpoint({
  ...common,
  on: 'POST /v9/projects/:idOrName/custom-environments',
  summary: 'Create a custom environment, such as `staging`',
  status: 201,
  body: Type.Object({
    slug: Slug,
    description: Type.Optional(Description),
    branchMatcher: Matcher,
    copyEnvVarsFrom: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          '`production`, `preview`, `development` or a custom environment to copy the variables from.',
      }),
    ),
  }),
  reply: Environment,
})

export const getEnvironment = endpoint({
  ...common,
  on: 'GET /v9/projects/:idOrName/custom-environments/:environmentSlugOrId',
  summary: 'Get a custom environment',
  reply: Environment,
})

export const updateEnvironment = endpoint({
  ...common,
  on: 'PATCH /v9/projects/:idOrName/custom-environments/:environmentSlugOrId',
  summary: 'Change a custom environment',
  body: Type.Object({
    slug: Type.Optional(Slug),
    description: Type.Optional(Nullable(Description)),
    branchMatcher: Matcher,
  }),
  reply: Environment,
})

export const deleteEnvironment = endpoint({
  ...common,
  on: 'DELETE /v9/projects/:idOrName/custom-environments/:environmentSlugOrId',
  summary: 'Delete a custom environment',
  description: 'Its deployments stay available at their own URLs. Remove or move its domains first.',
  body: Type.Object({
    deleteUnassignedEnvironmentVariables: Type.Optional(
      Type.Boolean({ description: 'Also delete variables that are set in no other environment.' }),
    ),
  }),
  reply: Environment,
})
