import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'

export const getPreview = endpoint({
  on: 'GET /v1/deployments/:id/preview',
  gen: 'current',
  summary: 'Get a small image of what a deployment shows: a screenshot, or else its icon',
  description: [
    'A screenshot where the server has a browser to take it with; else the icon of the site.',
    'The header `x-aloft-preview` says which: `screenshot` or `icon`. `etag` and `if-none-match` work.',
    'Where there is neither, and for deployments that visitors need a password or a login for, the answer is 404 `not_found`.',
    'The first request for a deployment that is not of production answers 404 with `"making": true`, and the image is made.',
    'When it is there, those who follow `GET /v1/changes` hear of a change of the deployment.',
  ].join('\n'),
  access: needs('deployment'),
  limit: 'read',
  reply: 'raw',
})
