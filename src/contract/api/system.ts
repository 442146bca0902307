import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PUBLIC } from '../scopes.ts'

export const healthz = endpoint({
  access: PUBLIC,
  on: 'GET /healthz',
  summary: 'Check whether this process and its dependencies are ready',
  reply: Type.Object({ status: Type.String(), version: Type.String(), origin: Type.String() }),
})

export const metrics = endpoint({
  access: PUBLIC,
  on: 'GET /metrics',
  summary: 'Prometheus metrics',
  reply: 'raw',
})

export const openapi = endpoint({
  access: PUBLIC,
  on: 'GET /openapi.json',
  summary: 'This description, as OpenAPI 3.1',
  reply: 'raw',
})

export const docs = endpoint({
  access: PUBLIC,
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
  access: PUBLIC,
  on: 'GET /errors/:code',
  page: true,
  summary: 'Explain an error code',
  reply: 'html',
})

export const familyErrorPage = endpoint({
  access: PUBLIC,
  on: 'GET /errors/:family/:code',
  page: true,
  summary: 'Explain an error code of a family',
  reply: 'html',
})

export const home = endpoint({
  access: PUBLIC,
  on: 'GET /',
  page: true,
  summary: 'Start page',
  reply: 'html',
})
