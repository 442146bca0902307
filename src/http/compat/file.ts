import { Readable } from 'node:stream'
import { getFile } from '#contract/api/deployment.ts'
import { uploadFile } from '#contract/api/file.ts'
import type { RawReply } from '#contract/endpoint.ts'
import type { CompatRequest, CompatRow, PartialRequest } from './row.ts'

/** Headers by the names that other clients know, and by ours. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'x-platform-digest': ['x-vercel-digest', 'x-now-digest'],
  'x-platform-size': ['x-vercel-size', 'x-now-size'],
}

const readUpload = ({ headers, body }: CompatRequest): PartialRequest => {
  const renamed = Object.entries(NAMES).flatMap(([ours, theirs]) => {
    const value = [ours, ...theirs]
      .map((name) => headers[name])
      .find((each) => /^[0-9a-f]+$/.test(String(each ?? '')))
    return value === undefined ? [] : [[ours, value]]
  })
  return { body, headers: { ...headers, ...Object.fromEntries(renamed) } }
}

/** Later versions answer a file inside JSON, which is made as it goes: a file can be larger than the memory. */
function inJson({ body: file }: RawReply): RawReply {
  const body = Readable.from(asJson(file as Readable), { objectMode: false })
  // Also where nobody begins to read it, as of a HEAD request.
  body.once('close', () => (file as Readable).destroy())
  return { type: 'application/json; charset=utf-8', body }
}

async function* asJson(body: Readable): AsyncGenerator<string> {
  yield '{"data":"'
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    // Three bytes become four letters.
    const end = bytes.length - (bytes.length % 3)
    yield bytes.toString('base64', 0, end)
    rest = bytes.subarray(end)
  }
  yield `${rest.toString('base64')}"}`
}

export const fileRows: readonly CompatRow[] = [
  { on: 'POST {/v1,/v2}{,/now}/files', is: uploadFile, read: readUpload, show: () => ({ urls: [] }) },
  { on: 'GET /v{6,7,8}{,/now}/deployments/:id/files/:fileId', is: getFile, show: inJson, raw: true },
]
