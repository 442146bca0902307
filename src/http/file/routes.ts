import * as api from '#contract/api/file.ts'
import { invalidRequest } from '#contract/errors.ts'
import type { Files } from '#core/file/files.ts'
import { type Route, route } from '../route.ts'

function readSize(name: string, value: string | string[] | undefined): number[] {
  if (value === undefined) return []
  const size = Number(value)
  if (typeof value === 'string' && /^\d+$/.test(value) && Number.isSafeInteger(size)) return [size]
  throw invalidRequest(`\`${name}\` should be a number of bytes`)
}

const firstValue = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

export const fileRoutes = (files: Files): readonly Route[] => [
  route(api.uploadFile, async (ctx, { body, headers }) => {
    await files.upload(ctx, {
      body,
      digest: firstValue(headers['x-platform-digest']),
      sizes: [
        ...readSize('x-platform-size', headers['x-platform-size']),
        ...readSize('Content-Length', headers['content-length']),
      ],
    })
    return undefined
  }),
  route(api.uploadFiles, async (ctx, { body }) => {
    await files.uploadBatch(ctx, body)
    return undefined
  }),
]
