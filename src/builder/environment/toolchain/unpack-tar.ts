import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract } from 'tar-stream'

export interface UnpackOptions {
  /** An absolute path for a file of the archive, named without the archive's first folder; undefined leaves it out. */
  readonly place: (name: string) => string | undefined
  /** Clears what an earlier try has left. */
  readonly empty: () => Promise<void>
}

const MOST_FILES = 50_000
const MOST_BYTES = 2 ** 30
const SAFE = /^[^/\0\\]+(?:\/[^/\0\\]+)*$/

/** The name without its first folder, or undefined where it could lie elsewhere. */
function within(name: string): string | undefined {
  const rest = name.replace(/^\.\//, '').replace(/^[^/]*\//, '')
  return SAFE.test(rest) && !rest.split('/').some((part) => part === '.' || part === '..') ? rest : undefined
}

/** Writes the regular files of an archive that are asked for; links are left out. */
export async function unpackTar(bytes: AsyncIterable<Buffer>, { place }: UnpackOptions): Promise<void> {
  const archive = extract()
  const feeding = pipeline(bytes as unknown as Readable, archive)
  // Told below, where the entries are read.
  feeding.catch(() => {})
  const made = new Set<string>()
  let files = 0
  let size = 0
  for await (const entry of archive) {
    const { header } = entry
    const name = within(header.name)
    const path = header.type === 'file' && name !== undefined ? place(name) : undefined
    if (path === undefined) {
      entry.resume()
      continue
    }
    files++
    size += header.size
    if (files > MOST_FILES || size > MOST_BYTES) throw new Error('the archive is too large')
    const folder = dirname(path)
    if (!made.has(folder)) await mkdir(folder, { recursive: true, mode: 0o755 })
    made.add(folder)
    const mode = header.mode & 0o100 ? 0o755 : 0o644
    await pipeline(entry, createWriteStream(path, { mode }))
  }
  await feeding
}
