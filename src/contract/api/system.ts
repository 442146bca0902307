import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PUBLIC } from '../scopes.ts'

const common = { gen: 'current', access: PUBLIC, limit: 'read' } as const

export const healthz = endpoint({
  ...common,
  on: 'GET /healthz',
  summary: 'Check whether this process and its dependencies are ready',
  reply: Type.Object({ status: Type.String(), version: Type.String(), origin: Type.String() }),
})

export const metrics = endpoint({
  ...common,
  on: 'GET /metrics',
  summary: 'Prometheus metrics',
  reply: 'raw',
})

export const openapi = endpoint({
  ...common,
  on: 'GET /openapi.json',
  summary: 'This description, as OpenAPI 3.1',
  reply: 'raw',
})

export const docs = endpoint({
  ...common,
  on: 'GET /docs',
  page: true,
  summary: 'API reference as a web page',
  query: Type.Object({
    q: Type.Optional(
      Type.String({ maxLength: 100, description: 'Only endpoints that contain these words.' }),
    ),
  }),
  reply: 'html',
})

export const errorPage = endpoint({
  ...common,
  on: 'GET /errors/:code',
  page: true,
  summary: 'Explain an error code',
  reply: 'html',
})

export const familyErrorPage = endpoint({
  ...common,
  on: 'GET /errors/:family/:code',
  page: true,
  summary: 'Explain an error code of a family',
  reply: 'html',
})

export const home = endpoint({
  ...common,
  on: 'GET /',
  page: true,
  summary: 'Start page',
  reply: 'html',
})
