import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'

export const getPreview = endpoint({
  on: 'GET /v1/deployments/:id/preview',
  summary: 'Get the preview image of a deployment: a screenshot, or its icon',
  description: [
    'Returns a screenshot if the server has a browser to take it with, otherwise the icon of the site.',
    'The header `x-aloft-preview` says which: `screenshot` or `icon`. `etag` and `if-none-match` work.',
    'If there is neither, and for protected deployments, the response is 404 `not_found`.',
    'The first request for a deployment outside production returns 404 with `"making": true`, and the image is created.',
    'When it is ready, `GET /v1/changes` reports a change of the deployment.',
  ].join('\n'),
  access: needs('deployment'),
  reply: 'raw',
})
