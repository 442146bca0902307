import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { needs } from '../scopes.ts'
import { CHECK_STATUSES } from './domain.ts'
import { Nullable, Time } from './shared.ts'

const strict = { additionalProperties: false } as const

export const REDIRECT_STATUSES = [301, 302, 307, 308] as const
const RedirectStatus = Type.Unsafe<(typeof REDIRECT_STATUSES)[number] | null>({
  enum: [...REDIRECT_STATUSES, null],
  description: 'Status code of the redirect; defaults to 307.',
})

export const ProjectDomain = Type.Object({
  name: Type.String(),
  apexName: Type.String(),
  projectId: Type.String(),
  redirect: Nullable(Type.String()),
  redirectStatusCode: RedirectStatus,
  gitBranch: Nullable(Type.String()),
  customEnvironmentId: Nullable(Type.String()),
  verified: Type.Boolean({ description: 'While this is false, the domain serves nothing.' }),
  verification: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Literal('TXT'),
        domain: Type.String({ description: 'Host of the record.' }),
        value: Type.String({ description: 'Value of the record.' }),
        reason: Type.Literal('pending_domain_verification'),
      }),
    ),
  ),
  createdAt: Time,
  updatedAt: Time,
})

const settings = {
  redirect: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description: 'Another domain of the project to redirect visitors to.',
      }),
    ),
  ),
  redirectStatusCode: Type.Optional(RedirectStatus),
  gitBranch: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 250,
        description: 'Serve the newest preview of this branch instead of production.',
      }),
    ),
  ),
  customEnvironmentId: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Serve the newest deployment of this environment instead of production.',
      }),
    ),
  ),
}

const family = { teamBySlug: true, unauthenticated: 401 } as const
const reading = { ...family, access: needs('project') } as const
/** To change the domains of a project one has to be allowed to change both. */
const writing = { ...family, access: needs('project', 'domain') } as const

const adding = {
  ...writing,
  summary: 'Add a domain to a project',
  body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 253 }), ...settings }, strict),
  reply: ProjectDomain,
} as const

export const addProjectDomain = endpoint({ ...adding, on: 'POST /v10/projects/:idOrName/domains' })
/** Some clients say it like this. */
export const addProjectDomainV9 = endpoint({ ...adding, on: 'POST /v9/projects/:idOrName/domains' })

export const listProjectDomains = endpoint({
  ...reading,
  on: 'GET /v9/projects/:idOrName/domains',
  summary: 'List the domains of a project, newest first',
  query: Type.Object({
    ...pageQuery,
    order: Type.Optional(Type.Enum(['ASC', 'DESC'], { description: 'ASC: oldest first.' })),
    production: Type.Optional(Type.Boolean({ description: 'True: only domains that serve production.' })),
    redirects: Type.Optional(Type.Boolean({ description: 'False: without domains that redirect.' })),
    redirect: Type.Optional(Type.String({ description: 'Only domains that redirect to this domain.' })),
    verified: Type.Optional(Type.Boolean()),
    gitBranch: Type.Optional(Type.String()),
    customEnvironmentId: Type.Optional(Type.String()),
  }),
  reply: Type.Object({ domains: Type.Array(ProjectDomain), pagination: PaginationSchema }),
})

export const getProjectDomain = endpoint({
  ...reading,
  on: 'GET /v9/projects/:idOrName/domains/:domain',
  summary: 'Get a domain of a project',
  reply: ProjectDomain,
})

export const updateProjectDomain = endpoint({
  ...writing,
  on: 'PATCH /v9/projects/:idOrName/domains/:domain',
  summary: 'Change what a domain of a project serves',
  body: Type.Object(settings, strict),
  reply: ProjectDomain,
})

export const removeProjectDomain = endpoint({
  ...writing,
  on: 'DELETE /v9/projects/:idOrName/domains/:domain',
  summary: 'Remove a domain from a project',
  reply: Type.Object({}),
})

export const verifyProjectDomain = endpoint({
  ...writing,
  on: 'POST /v9/projects/:idOrName/domains/:domain/verify',
  summary: 'Verify a domain of a project by its TXT record',
  reply: ProjectDomain,
})

export const inspectProjectDomain = endpoint({
  ...reading,
  on: 'GET /v1/projects/:idOrName/domains/:domain/inspect',
  summary: 'Check the DNS records of a domain of a project',
  limit: 'write',
  reply: Type.Object({
    name: Type.String(),
    verified: Type.Boolean(),
    ready: Type.Boolean({ description: 'Whether everything is set up.' }),
    checks: Type.Array(
      Type.Object({
        id: Type.String(),
        status: Type.Enum(CHECK_STATUSES),
        found: Type.Array(Type.String()),
        expected: Type.Array(Type.String()),
        advice: Type.String(),
      }),
    ),
    records: Type.Array(Type.Object({ type: Type.String(), host: Type.String(), value: Type.String() }), {
      description: 'The records to create at the DNS provider of the domain.',
    }),
    nextStep: Type.String(),
  }),
})
