import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'

const common = { gen: 'current', teamBySlug: true, access: needs('project'), limit: 'write' } as const

const Tag = Type.String({ minLength: 1, maxLength: 256 })
const Tags = Type.Array(Tag, { minItems: 1, maxItems: 64 })
const Path = Type.String({ pattern: '^/', maxLength: 1024 })
const byProject = Type.Object({ projectIdOrName: Type.String({ minLength: 1, maxLength: 100 }) })
const done = { status: 200, reply: Type.Object({ deployments: Type.Integer() }) } as const

export const purgeCache = endpoint({
  ...common,
  ...done,
  on: 'POST /v1/projects/:idOrName/cache/purge',
  summary:
    'Have kept answers of a project made anew: all of them, or those with these tags or at these paths',
  description:
    'Of production and of the last 20 deployments. Who asks next waits for the new answer, unless `soft` says that the old one may be given meanwhile.',
  body: Type.Object({
    tags: Type.Optional(Tags),
    paths: Type.Optional(Type.Array(Path, { minItems: 1, maxItems: 64 })),
    all: Type.Optional(Type.Boolean()),
    soft: Type.Optional(Type.Boolean()),
  }),
})

export const purgeDataCache = endpoint({
  ...common,
  ...done,
  on: 'DELETE /v1/data-cache/purge-all',
  summary: 'Have all kept answers of a project made anew',
  query: byProject,
})

const byTags = {
  ...common,
  ...done,
  query: byProject,
  body: Type.Object({ tags: Type.Union([Tags, Tag]) }),
} as const

export const invalidateByTags = endpoint({
  ...byTags,
  on: 'POST /v1/edge-cache/invalidate-by-tags',
  summary: 'Have kept answers with these tags made anew; the old ones are given meanwhile',
})

export const deleteByTags = endpoint({
  ...byTags,
  on: 'POST /v1/edge-cache/dangerously-delete-by-tags',
  summary: 'Give nobody the kept answers with these tags any more; who asks next waits for new ones',
})
