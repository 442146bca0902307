import { uploadFiles as uploadBatch, uploadFile } from '#contract/api/file.ts'
import { BATCH_LIMITS, type BatchedFile, batchedBytes, packBatch } from '#contract/file-batch.ts'
import { ApiError } from '../api-error.ts'
import { type Persistence, persist } from '../call/persist.ts'
import type { Client } from '../client.ts'
import { DeployError } from './deploy-error.ts'
import { forEachAtOnce } from './pool.ts'
import type { HashedFile } from './source-file.ts'

const AT_ONCE = 8

interface UploadProgress {
  readonly files: number
  readonly bytes: number
}

/** Fewer are as soon sent one by one. */
const FEWEST_BATCHED = 16
/** What is larger gains nothing from company. */
const SMALL_BYTES = 64 * 1024
/** A batch ends once it has this many bytes, so that what is repeated after a failure is not much. */
const BATCH_BYTES = 1024 * 1024
const BATCHES_AT_ONCE = 4

/** Sends contents, each once. What was sent stays when this is stopped, and is not missing the next time. */
export async function uploadFiles(
  client: Client,
  files: readonly HashedFile[],
  onProgress: (progress: UploadProgress) => void,
  how: Persistence = {},
): Promise<void> {
  let sent = 0
  let bytes = 0
  const tell = (size: number) => {
    bytes += size
    onProgress({ files: sent, bytes })
  }
  const sendOne = (file: HashedFile) =>
    persist(async () => {
      let counted = 0
      const count = (size: number) => {
        counted += size
        tell(size)
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

  const isSmall = ({ size }: HashedFile) => size <= SMALL_BYTES
  const small = files.filter(isSmall)
  const alone: HashedFile[] =
    small.length < FEWEST_BATCHED ? [...files] : files.filter((file) => !isSmall(file))
  await forEachAtOnce(
    small.length < FEWEST_BATCHED ? [] : batchesOf(small),
    BATCHES_AT_ONCE,
    async (batch) => {
      if (!(await persist(() => sendBatch(client, batch, how.signal), how))) {
        alone.push(...batch)
        return
      }
      sent += batch.length
      tell(batch.reduce((sum, { size }) => sum + size, 0))
    },
  )
  await forEachAtOnce(alone, AT_ONCE, sendOne)
}

function batchesOf(files: readonly HashedFile[]): HashedFile[][] {
  const batches: HashedFile[][] = []
  let batch: HashedFile[] = []
  let bytes = 0
  for (const file of files) {
    if (bytes >= BATCH_BYTES || batch.length === BATCH_LIMITS.files || batches.length === 0) {
      batch = []
      bytes = 0
      batches.push(batch)
    }
    batch.push(file)
    bytes += batchedBytes(file.size)
  }
  return batches
}

/**
 * False when its files have to be sent one by one: the installation is older than batches, or one of the files has changed
 * and only it is to be named.
 */
async function sendBatch(
  client: Client,
  batch: readonly HashedFile[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const contents: BatchedFile[] = []
  for (const file of batch) {
    const bytes = await bytesOf(file)
    if (bytes?.length !== file.size) return false
    contents.push({ sha1: file.sha, bytes })
  }
  try {
    await client.call(uploadBatch, { body: packBatch(contents), signal })
    return true
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof ApiError && ALONE.has(error.status)) return false
    throw error
  }
}

const ALONE: ReadonlySet<number> = new Set([400, 404, 405])

async function bytesOf(file: HashedFile): Promise<Uint8Array | undefined> {
  const { body, close } = await file.open(() => {}).catch((error) => changed(file, error))
  if (body instanceof Uint8Array) return body
  close?.()
  return undefined
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
