import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'

export const uploadFile = endpoint({
  on: 'POST /v2/platform/files',
  gen: 'current',
  summary: 'Upload the content of a file; `x-platform-digest` is its SHA-1',
  access: needs('deployment'),
  limit: 'upload',
  body: 'raw',
  reply: 'empty',
})
