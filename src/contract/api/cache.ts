import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'

const common = { teamBySlug: true, access: needs('project') } as const

const Tag = Type.String({ minLength: 1, maxLength: 256 })
const Tags = Type.Array(Tag, { minItems: 1, maxItems: 64 })
/** As other clients write several. */
const TagsInOne = Type.String({
  minLength: 1,
  pattern: '^[^,]{0,256}(?:,[^,]{0,256}){0,63}$',
  description: 'Separated by commas.',
})
const Path = Type.String({ pattern: '^/', maxLength: 1024 })
const byProject = Type.Object({ projectIdOrName: Type.String({ minLength: 1, maxLength: 100 }) })
const done = { status: 200, reply: Type.Object({ deployments: Type.Integer() }) } as const

export const purgeCache = endpoint({
  ...common,
  ...done,
  on: 'POST /v1/projects/:idOrName/cache/purge',
  summary: 'Purge cached responses of a project: all, or by tag or path',
  description:
    'Applies to production and the last 20 deployments. The next request waits for the new response, unless `soft` allows the old one to be served meanwhile.',
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
  summary: 'Purge all cached responses of a project',
  query: byProject,
})

export const purgeEdgeCache = endpoint({
  ...common,
  ...done,
  on: 'POST /v1/edge-cache/purge-all',
  summary: 'Purge all cached responses of a project',
  query: byProject,
})

const byTags = {
  ...common,
  ...done,
  query: byProject,
  body: Type.Object({ tags: Type.Union([Tags, TagsInOne]) }),
} as const

export const invalidateByTags = endpoint({
  ...byTags,
  on: 'POST /v1/edge-cache/invalidate-by-tags',
  summary: 'Invalidate cached responses with these tags; old ones are served while new ones are generated',
})

export const deleteByTags = endpoint({
  ...byTags,
  on: 'POST /v1/edge-cache/dangerously-delete-by-tags',
  summary: 'Delete cached responses with these tags; the next request waits for a new one',
})
