import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { pipeline as pipe, Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { onlyOnce } from '#core/only-once.ts'

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
  try {
    await pipeline(archive, createZstdDecompress(), (bytes) => within(bytes, maxBytes), inputOf(tar))
  } catch (error) {
    tar.kill('SIGKILL')
    throw error
  }
  const [code] = await ended
  if (code !== 0) throw failed(code)
}

const failed = (code: number | null) => new Error(`tar ended with ${code}`)

/**
 * It ends as soon as it has read the end of the archive, which may be before all that comes after it was written. The rest is read
 * all the same: it does not mind an archive that broke off between two files.
 */
function inputOf(tar: ChildProcessByStdio<Writable, null, null>): Writable {
  const { stdin } = tar
  let hasLeft = false
  let goOn = () => {}
  stdin.on('error', () => {})
  // What it leaves unread is never told to have been written.
  stdin.once('close', () => {
    hasLeft = true
    goOn()
  })
  return new Writable({
    write(chunk, _encoding, done) {
      goOn = onlyOnce(() => done(tar.exitCode ? failed(tar.exitCode) : null))
      if (hasLeft) goOn()
      else stdin.write(chunk, goOn)
    },
    final(done) {
      stdin.end()
      done()
    },
  })
}
