import type { Client } from '#client/client.ts'
import { getFile } from '#contract/api/deployment.ts'

/** More than this is not shown but downloaded. */
const MAX_SHOWN = 1_000_000
/** Pictures may be larger: the browser draws them, the page does not hold their lines. */
const MAX_PICTURE = 8_000_000

type Source =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: number }
  | { readonly kind: 'picture'; readonly blob: Blob; readonly bytes: number }
  | { readonly kind: 'binary' | 'large'; readonly bytes: number }

/** By the first bytes, whatever the name says. Kinds that could hold a program, such as SVG, are text. */
function pictureType(head: Uint8Array): string | undefined {
  const starts = (...bytes: readonly number[]) => bytes.every((byte, i) => head[i] === byte)
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png'
  if (starts(0xff, 0xd8, 0xff)) return 'image/jpeg'
  if (starts(0x47, 0x49, 0x46, 0x38)) return 'image/gif'
  const isWebp = [0x57, 0x45, 0x42, 0x50].every((byte, i) => head[i + 8] === byte)
  return starts(0x52, 0x49, 0x46, 0x46) && isWebp ? 'image/webp' : undefined
}

const PICTURE_NAME = /\.(png|jpe?g|gif|webp)$/i

/** A file of a deployment, to be looked at as text or as a picture and never as anything that runs. */
export async function readSource(
  client: Client,
  file: { readonly deploymentId: string; readonly uid: string; readonly path: string },
  signal: AbortSignal,
): Promise<Source> {
  const response = await client.call(getFile, {
    params: { id: file.deploymentId, fileId: file.uid },
    signal,
  })
  const bytes = Number(response.headers.get('content-length') ?? 0)
  if (bytes > (PICTURE_NAME.test(file.path) ? MAX_PICTURE : MAX_SHOWN)) {
    await response.body?.cancel()
    return { kind: 'large', bytes }
  }
  const content = new Uint8Array(await response.arrayBuffer())
  const picture = pictureType(content)
  if (picture !== undefined)
    return { kind: 'picture', blob: new Blob([content], { type: picture }), bytes: content.length }
  if (content.subarray(0, 8000).includes(0)) return { kind: 'binary', bytes: content.length }
  if (content.length > MAX_SHOWN) return { kind: 'large', bytes: content.length }
  return { kind: 'text', text: new TextDecoder().decode(content), bytes: content.length }
}
