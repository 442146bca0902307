import { uploadFile } from '#contract/api/file.ts'
import { ApiError } from './api-error.ts'
import type { Client } from './client.ts'
import { DeployError } from './deploy-error.ts'
import { type Persistence, persist } from './persist.ts'
import { forEachAtOnce } from './pool.ts'
import type { HashedFile } from './source-file.ts'

const AT_ONCE = 8

export interface UploadProgress {
  readonly files: number
  readonly bytes: number
}

/** Sends contents, each once. What was sent stays when this is stopped, and is not missing the next time. */
export async function uploadFiles(
  client: Client,
  files: readonly HashedFile[],
  onProgress: (progress: UploadProgress) => void,
  how: Persistence = {},
): Promise<void> {
  let sent = 0
  let bytes = 0
  await forEachAtOnce(files, AT_ONCE, async (file) => {
    await persist(async () => {
      let counted = 0
      const count = (size: number) => {
        counted += size
        bytes += size
        onProgress({ files: sent, bytes })
      }
      try {
        await send(client, file, count, how.signal)
      } catch (error) {
        bytes -= counted
        throw error
      }
      sent++
      count(file.size - counted)
    }, how)
  })
}

async function send(
  client: Client,
  file: HashedFile,
  count: (size: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { body, broken, close } = await file.open(count).catch((error) => changed(file, error))
  try {
    await client.call(uploadFile, {
      body,
      signal,
      headers: { 'x-platform-digest': file.sha, 'x-platform-size': String(file.size) },
    })
  } catch (error) {
    signal?.throwIfAborted()
    const why = broken?.()
    if (why !== undefined) changed(file, why)
    if (error instanceof ApiError && error.status === 400) {
      const now = await file.hash(signal)
      if (now.sha !== file.sha) changed(file, error)
    }
    throw error
  } finally {
    close?.()
  }
}

function changed({ path }: HashedFile, cause: unknown): never {
  throw new DeployError('changed', `${path} changed while it was uploaded.`, { cause })
}
