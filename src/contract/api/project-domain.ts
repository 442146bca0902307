import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { needs } from '../scopes.ts'
import { CHECK_STATUSES } from './domain.ts'
import { Nullable, Time } from './shared.ts'

const strict = { additionalProperties: false } as const

const RedirectStatus = Type.Unsafe<301 | 302 | 307 | 308 | null>({
  enum: [301, 302, 307, 308, null],
  description: 'What visitors are sent on with; 307 unless said.',
})

export const ProjectDomain = Type.Object({
  name: Type.String(),
  apexName: Type.String(),
  projectId: Type.String(),
  redirect: Nullable(Type.String()),
  redirectStatusCode: RedirectStatus,
  gitBranch: Nullable(Type.String()),
  customEnvironmentId: Nullable(Type.String()),
  verified: Type.Boolean({ description: 'While it is false the domain shows nothing.' }),
  verification: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Literal('TXT'),
        domain: Type.String({ description: 'Where the record has to be.' }),
        value: Type.String({ description: 'What it has to hold.' }),
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
        description: 'Another domain of the project that visitors are sent to.',
      }),
    ),
  ),
  redirectStatusCode: Type.Optional(RedirectStatus),
  gitBranch: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 250,
        description: 'It shows the newest preview of this branch rather than production.',
      }),
    ),
  ),
  customEnvironmentId: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'It shows the newest deployment of this environment rather than production.',
      }),
    ),
  ),
}

const family = { gen: 'current', teamBySlug: true, unauthenticated: 401 } as const
const reading = { ...family, access: needs('project'), limit: 'read' } as const
/** To change the domains of a project one has to be allowed to change both. */
const writing = { ...family, access: needs('project', 'domain'), limit: 'write' } as const

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
    production: Type.Optional(Type.Boolean({ description: 'True: only those that show production.' })),
    redirects: Type.Optional(Type.Boolean({ description: 'False: without those that redirect.' })),
    redirect: Type.Optional(Type.String({ description: 'Only those that redirect to this domain.' })),
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
  summary: 'Change what a domain of a project shows',
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
  summary: 'Look for the TXT record that a domain waits for',
  reply: ProjectDomain,
})

export const inspectProjectDomain = endpoint({
  ...reading,
  limit: 'write',
  on: 'GET /v1/projects/:idOrName/domains/:domain/inspect',
  summary: 'Compare what DNS says of a domain of a project with what it should say',
  reply: Type.Object({
    name: Type.String(),
    verified: Type.Boolean(),
    ready: Type.Boolean({ description: 'Whether there is nothing left to do.' }),
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
      description: 'What has to be made where the domain’s DNS is edited.',
    }),
    nextStep: Type.String(),
  }),
})
