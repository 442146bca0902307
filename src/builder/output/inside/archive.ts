import { createReadStream, createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { type Header as FullHeader, type Pack, pack } from 'tar-stream'
import type { TreeEntry } from './tree.ts'

type Header = Partial<FullHeader> & Pick<FullHeader, 'name'>

/** The same for everything, so that equal files make equal archives. */
const MTIME = new Date('2000-01-01T00:00:00Z')
const STREAMED_FROM = 4 * 2 ** 20

/** Writes a tar of files and links, in the order in which they are given. Folders have no entries of their own. */
export async function writeArchive(to: string, entries: ReadonlyMap<string, TreeEntry>): Promise<void> {
  const archive = pack()
  const written = pipeline(archive, createWriteStream(to, { flags: 'wx' }))
  const filled = fill(archive, entries).catch((error: Error) => {
    archive.destroy(error)
    throw error
  })
  await Promise.all([written, filled])
}

async function fill(archive: Pack, entries: ReadonlyMap<string, TreeEntry>): Promise<void> {
  for (const [name, entry] of entries) {
    if (entry.kind === 'link') {
      await add(archive, { ...headers(name, 0o777), type: 'symlink', linkname: entry.target })
      continue
    }
    const header = headers(name, entry.executable ? 0o755 : 0o644)
    if (typeof entry.source !== 'string') await add(archive, header, entry.source)
    else if (entry.size < STREAMED_FROM) await add(archive, header, await readFile(entry.source))
    else await addStream(archive, { ...header, size: entry.size }, entry.source)
  }
  archive.finalize()
}

const headers = (name: string, mode: number): Header => ({ name, mode, mtime: MTIME, uid: 0, gid: 0 })

const add = (archive: Pack, header: Header, bytes: Buffer = Buffer.alloc(0)): Promise<void> =>
  new Promise((resolve, reject) => {
    archive.entry(header, bytes, (error) => (error ? reject(error) : resolve()))
  })

const addStream = (archive: Pack, header: Header, source: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const entry = archive.entry(header, (error) => (error ? reject(error) : resolve()))
    pipeline(createReadStream(source), entry).catch(reject)
  })
