import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type BlobDigest, type BlobStore, type ByteRange, isBlobName } from '#core/ports/blob-store.ts'

type Contents = Pick<BlobStore, 'put' | 'putBytes' | 'read' | 'open'>

/** What was packed, in a folder that goes with the program: nothing of it has to outlive a power cut. */
export async function openProgramContents(folder: string): Promise<Contents> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const pathOf = (sha256: string): string => join(folder, sha256)
  let temporaries = 0

  return {
    async putBytes(bytes): Promise<BlobDigest> {
      const [sha1, sha256] = ['sha1', 'sha256'].map((name) => createHash(name).update(bytes).digest('hex'))
      const digest = { sha1: sha1 as string, sha256: sha256 as string, size: bytes.length }
      const temporary = join(folder, `tmp-${temporaries++}`)
      await writeFile(temporary, bytes)
      await rename(temporary, pathOf(digest.sha256))
      return digest
    },
    async put(source): Promise<BlobDigest> {
      const [sha1, sha256] = [createHash('sha1'), createHash('sha256')]
      let size = 0
      const counted = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          sha1.update(chunk)
          sha256.update(chunk)
          size += chunk.length
          done(null, chunk)
        },
      })
      const temporary = join(folder, `tmp-${temporaries++}`)
      await pipeline(source, counted, createWriteStream(temporary))
      const digest = { sha1: sha1.digest('hex'), sha256: sha256.digest('hex'), size }
      await rename(temporary, pathOf(digest.sha256))
      return digest
    },
    read: async (sha256) =>
      isBlobName(sha256) ? readFile(pathOf(sha256)).catch(() => undefined) : undefined,
    async open(sha256, range?: ByteRange): Promise<Readable | undefined> {
      const file = isBlobName(sha256) ? await open(pathOf(sha256)).catch(() => undefined) : undefined
      if (file === undefined) return undefined
      const { start = 0, end } = range ?? {}
      return file.createReadStream({ start, ...(end === undefined ? {} : { end: Math.max(start, end - 1) }) })
    },
  }
}
