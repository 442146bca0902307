import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { uploadFile } from '#contract/api/file.ts'
import { ApiError } from './api-error.ts'
import type { Client } from './client.ts'
import { DeployError } from './deploy-error.ts'
import { type HashedFile, hashFile, SMALL } from './hash-files.ts'
import { type Persistence, persist } from './persist.ts'
import { forEachAtOnce } from './pool.ts'

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
  let broken: unknown
  const body =
    file.size <= SMALL
      ? await readFile(file.source).catch((error) => changed(file, error))
      : counting(file, count).on('error', (error) => {
          broken = error
        })
  try {
    await client.call(uploadFile, {
      body,
      signal,
      headers: { 'x-platform-digest': file.sha, 'x-platform-size': String(file.size) },
    })
  } catch (error) {
    signal?.throwIfAborted()
    if (broken !== undefined) changed(file, broken)
    if (error instanceof ApiError && error.status === 400) {
      const now = await hashFile(file, signal)
      if (now.sha !== file.sha) changed(file, error)
    }
    throw error
  } finally {
    if (body instanceof Readable) body.destroy()
  }
}

/** The file as a stream that tells how far it is. */
function counting({ source }: HashedFile, count: (size: number) => void): Readable {
  const read = async function* () {
    for await (const chunk of createReadStream(source, { highWaterMark: SMALL / 4 })) {
      yield chunk as Buffer
      count((chunk as Buffer).length)
    }
  }
  return Readable.from(read(), { objectMode: false, highWaterMark: SMALL / 4 })
}

function changed({ path }: HashedFile, cause: unknown): never {
  throw new DeployError('changed', `${path} changed while it was uploaded.`, { cause })
}
