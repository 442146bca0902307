import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { FoundFile } from './collect-files.ts'
import { DeployError } from './deploy-error.ts'
import { readSmall } from './read-small.ts'
import type { SourceFile } from './source-file.ts'

/** Up to this size a file is read whole; beyond it, in pieces. */
const SMALL = 1024 * 1024
/** Up to this size without a thread, where that is faster. */
const TINY = 64 * 1024

/** A file of this machine. */
export const diskFile = (file: FoundFile): SourceFile => ({
  path: file.path,
  size: file.size,
  mode: file.mode,
  hash: (signal) => hashFile(file, signal),

  async open(count) {
    if (file.size <= SMALL) return { body: await readWhole(file) }
    let broken: unknown
    const body = counting(file, count).on('error', (error) => {
      broken = error
    })
    return { body, broken: () => broken, close: () => body.destroy() }
  },
})

const readWhole = ({ source, size }: FoundFile, signal?: AbortSignal): Promise<Buffer> =>
  size <= TINY ? readSmall(source, signal) : readFile(source, signal === undefined ? undefined : { signal })

async function hashFile(file: FoundFile, signal: AbortSignal | undefined) {
  const { source, size, path } = file
  try {
    if (size <= SMALL) {
      const bytes = await readWhole(file, signal)
      return { sha: hash('sha1', bytes), size: bytes.length }
    }
    const sum = createHash('sha1')
    let read = 0
    for await (const chunk of createReadStream(source, { highWaterMark: SMALL / 4, signal })) {
      sum.update(chunk)
      read += chunk.length
    }
    return { sha: sum.digest('hex'), size: read }
  } catch (error) {
    signal?.throwIfAborted()
    throw new DeployError('unreadable', `${path} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}

/** The file as a stream that tells how far it is. */
function counting({ source }: FoundFile, count: (size: number) => void): Readable {
  const read = async function* () {
    for await (const chunk of createReadStream(source, { highWaterMark: SMALL / 4 })) {
      yield chunk as Buffer
      count((chunk as Buffer).length)
    }
  }
  return Readable.from(read(), { objectMode: false, highWaterMark: SMALL / 4 })
}
