import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'

export const uploadFile = endpoint({
  on: 'POST /v2/platform/files',
  summary: 'Upload the content of a file; `x-platform-digest` is its SHA-1',
  access: needs('deployment'),
  limit: 'upload',
  body: 'raw',
  reply: 'empty',
})

export const uploadFiles = endpoint({
  on: 'POST /v1/platform/files/batch',
  summary: 'Upload the contents of many small files at once',
  description:
    'For each file: its length (4 bytes, big-endian), its SHA-1 (20 bytes) and its content. Either all files are stored or none. A batch can have up to 1,000 files of 256 KiB each and 2 MiB in total.',
  access: needs('deployment'),
  limit: 'upload',
  body: 'raw',
  reply: 'empty',
})
