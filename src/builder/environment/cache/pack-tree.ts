import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pipeline as pipe, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'

/** What a build leaves may hold a file of very many zeros, which take no room where they are. */
async function* within(bytes: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > maxBytes) throw new Error('the folder is too large to be shared')
    yield chunk
  }
}

/** A folder as one compressed archive. Fails at its end where the folder changes meanwhile. */
export function packTree(folder: string, maxBytes: number): Readable {
  const tar = spawn('tar', ['--create', '--file=-', '--numeric-owner', '--directory', folder, '.'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(tar, 'close') as Promise<[number | null]>
  ended.catch(() => undefined)
  async function* whole() {
    try {
      yield* within(tar.stdout as AsyncIterable<Buffer>, maxBytes)
      const [code] = await ended
      if (code !== 0) throw new Error(`tar ended with ${code}`)
    } finally {
      tar.kill('SIGKILL')
    }
  }
  return pipe(Readable.from(whole(), { objectMode: false }), createZstdCompress(), () => undefined)
}

/** Into a folder that is empty and of nobody else. */
export async function unpackTree(archive: Readable, folder: string, maxBytes: number): Promise<void> {
  const args = ['--extract', '--file=-', '--numeric-owner', '--same-permissions', '--directory', folder]
  const tar = spawn('tar', args, { stdio: ['pipe', 'ignore', 'ignore'] })
  const ended = once(tar, 'close') as Promise<[number | null]>
  ended.catch(() => undefined)
  const failure: unknown = await pipeline(
    archive,
    createZstdDecompress(),
    (bytes) => within(bytes, maxBytes),
    tar.stdin,
  ).then(
    () => undefined,
    (error) => error,
  )
  if (failure !== undefined && !hasLeft(failure)) {
    tar.kill('SIGKILL')
    throw failure
  }
  const [code] = await ended
  if (code !== 0) throw failure ?? new Error(`tar ended with ${code}`)
}

/** It ends as soon as it has read the end of the archive, which may be before all that comes after it was written. */
const hasLeft = (error: unknown): boolean =>
  ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as NodeJS.ErrnoException).code ?? '')
