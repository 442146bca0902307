import { createWriteStream } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract, type Header } from 'tar-stream'
import { showLimit } from '#contract/amounts.ts'

interface UnpackLimits {
  /** Of all files together. */
  readonly bytes: number
  /** Files, folders and links. */
  readonly entries: number
}

/** The archive is not one that a build may leave. */
class BadArchive extends Error {
  override readonly name = 'BadArchive'
}

const DEEPEST = 100

/** Files up to this size are written side by side. */
const SMALL = 256 * 1024
const AT_ONCE = 16

/** Writes under way, so many at once at most. The first that fails fails the next that is added, and `done`. */
class Writes {
  readonly #underWay = new Set<Promise<void>>()
  #error: unknown

  async add(write: () => Promise<void>): Promise<void> {
    if (this.#error !== undefined) throw this.#error
    const one: Promise<void> = write()
      .catch((error: unknown) => {
        this.#error ??= error
      })
      .finally(() => this.#underWay.delete(one))
    this.#underWay.add(one)
    if (this.#underWay.size >= AT_ONCE) await Promise.race(this.#underWay)
  }

  /** Nothing is written any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  async done(): Promise<void> {
    await this.settled()
    if (this.#error !== undefined) throw this.#error
  }
}

/** The path of an entry inside the folder; throws where it leads out of it. */
function pathOf(name: string): string {
  const path = normalize(name).replace(/^\.\/|\/+$/g, '')
  const bad =
    name.includes('\0') ||
    path.startsWith('/') ||
    path.split('/').includes('..') ||
    path.split('/').length > DEEPEST ||
    path.length > 4096
  if (bad) throw new BadArchive(`The archive has an entry that leads out of it: ${JSON.stringify(name)}`)
  return path
}

/** Whether a link at this path stays inside the folder, as far as its text tells. */
const staysInside = (path: string, target: string): boolean =>
  target !== '' &&
  !target.startsWith('/') &&
  !target.includes('\0') &&
  !normalize(join(dirname(path), target))
    .split('/')
    .includes('..')

/**
 * Unpacks a program's archive into an empty folder. Only plain files, folders and links that stay inside come out of
 * it, readable by everybody. Links are made last and nothing is written through one.
 */
export async function unpack(
  archive: Readable,
  folder: string,
  limits: UnpackLimits,
): Promise<{ bytes: number; entries: number }> {
  const folders = new Set<string>(['', '.'])
  const files = new Set<string>()
  const links = new Map<string, string>()
  let bytes = 0
  const writes = new Writes()

  const makeFolder = async (path: string): Promise<void> => {
    if (folders.has(path)) return
    if (files.has(path) || links.has(path)) throw new BadArchive(`The archive has ${path} twice`)
    await makeFolder(dirname(path))
    await mkdir(join(folder, path), { mode: 0o755 })
    folders.add(path)
    count()
  }
  const count = () => {
    if (folders.size + files.size + links.size > limits.entries + 2)
      throw new BadArchive(`The archive has more than ${limits.entries} entries`)
  }
  const take = async (header: Header, content: AsyncIterable<Uint8Array>): Promise<void> => {
    const path = pathOf(header.name)
    const type = header.type ?? 'file'
    if (type === 'directory') return makeFolder(path)
    if (type !== 'file' && type !== 'contiguous-file' && type !== 'symlink')
      throw new BadArchive(`The archive has an entry of type ${type}: ${JSON.stringify(header.name)}`)
    if (folders.has(path) || files.has(path) || links.has(path))
      throw new BadArchive(`The archive has ${JSON.stringify(path)} twice`)
    await makeFolder(dirname(path))
    if (type === 'symlink') {
      const target = header.linkname ?? ''
      if (!staysInside(path, target))
        throw new BadArchive(`The archive has a link that leads out of it: ${JSON.stringify(path)}`)
      links.set(path, target)
      return count()
    }
    bytes += header.size
    if (bytes > limits.bytes) throw new BadArchive(`The archive has more than ${showLimit(limits.bytes)}`)
    files.add(path)
    count()
    const how = { flag: 'wx', mode: (header.mode & 0o111) === 0 ? 0o444 : 0o555 }
    if (header.size > SMALL)
      return pipeline(content, createWriteStream(join(folder, path), { ...how, flags: how.flag }))
    const parts: Uint8Array[] = []
    for await (const part of content) parts.push(part)
    await writes.add(() => writeFile(join(folder, path), Buffer.concat(parts), how))
  }

  const entries = extract()
  const fed = pipeline(archive, new PassThrough(), entries)
  fed.catch(() => {})
  try {
    for await (const entry of entries) {
      await take(entry.header, entry as AsyncIterable<Uint8Array>)
      entry.resume()
    }
    await fed
    await writes.done()
  } finally {
    archive.destroy()
    await writes.settled()
  }
  for (const [path, target] of links) await symlink(target, join(folder, path))
  return { bytes, entries: folders.size + files.size + links.size }
}
