import type { TSchema } from 'typebox'
import { type Endpoint, methodOf, pathOf } from '#contract/endpoint.ts'

/** The noun an endpoint is about: the first word of its path that is not a version or `platform`. */
const tagOf = (row: Endpoint): string => {
  const words = pathOf(row)
    .split('/')
    .filter((word) => word !== '' && !/^v\d+$|^platform$|^:/.test(word))
  const nested = words.find((word) => NESTED.has(word))
  return nested ?? words[0] ?? 'system'
}

/** Nouns that live under another one's path and still are a resource of their own. */
const NESTED: ReadonlySet<string> = new Set(['tokens', 'records', 'aliases'])

const SYSTEM: ReadonlySet<string> = new Set(['healthz', 'metrics', 'openapi.json'])

/** What an endpoint is listed under. */
export const groupOf = (row: Endpoint): string => (SYSTEM.has(tagOf(row)) ? 'system' : tagOf(row))

const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'string' }, message: { type: 'string' }, url: { type: 'string' } },
      additionalProperties: true,
    },
  },
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, TSchema & { readonly description?: string }>>
  readonly required?: readonly string[]
}

function parameters(row: Endpoint): object[] {
  const path = [...pathOf(row).matchAll(/:([A-Za-z]+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const { properties = {}, required = [] } = (row.query ?? {}) as ObjectSchema
  const query = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(schema.description ? { description: schema.description } : {}),
    schema,
  }))
  const text = { type: 'string' }
  const team =
    row.access.kind === 'public' || row.access.kind === 'operator'
      ? []
      : [
          { name: 'teamId', in: 'query', description: 'The team to use.', schema: text },
          ...(row.teamBySlug
            ? [{ name: 'slug', in: 'query', description: 'The team to use.', schema: text }]
            : []),
        ]
  return [...path, ...query, ...team]
}

function content(row: Endpoint): object {
  if (row.reply === 'empty') return {}
  if (row.reply === 'html') return { content: { 'text/html': { schema: { type: 'string' } } } }
  if (row.reply === 'raw') return { content: { '*/*': { schema: { type: 'string' } } } }
  return { content: { 'application/json': { schema: row.reply } } }
}

function requestBody(row: Endpoint): object {
  if (row.body === undefined) return {}
  if (row.body === 'raw')
    return {
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    }
  const type = row.form ? 'application/x-www-form-urlencoded' : 'application/json'
  return { requestBody: { required: true, content: { [type]: { schema: row.body } } } }
}

const operation = (row: Endpoint): object => ({
  operationId: row.on.replace(/[^A-Za-z0-9]+/g, '_').toLowerCase(),
  summary: row.summary,
  ...(row.description ? { description: row.description } : {}),
  tags: [groupOf(row)],
  'x-generation': row.gen,
  ...(row.access.kind === 'public' ? { security: [] } : {}),
  ...(row.access.kind === 'scope' ? { 'x-scopes': row.access.scopes } : {}),
  'x-rate-limit-group': row.limit,
  parameters: parameters(row),
  ...requestBody(row),
  responses: {
    [row.status ?? 200]: { description: 'Success', ...content(row) },
    default: {
      description: 'Error',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  },
})

/** OpenAPI 3.1 of everything in the table but the pages for people. */
export function describeApi(rows: readonly Endpoint[], site: string, version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const row of rows) {
    if (row.page) continue
    const path = pathOf(row).replace(/:([A-Za-z]+)/g, '{$1}')
    paths[path] = { ...paths[path], [methodOf(row).toLowerCase()]: operation(row) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Aloft',
      version,
      description: 'Self-hosted deployment platform: upload files, get a live URL.',
      license: { name: 'Apache-2.0' },
    },
    servers: [{ url: site }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: ERROR },
    },
  }
}
