import { randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { SharedContent } from '#core/shared/shared-thing-store.ts'
import { isMissing } from '../fs/error-code.ts'
import { temporaryName } from '../fs/private-file.ts'

/** What the copy on this disk and the record had in common last. */
interface Synced {
  /** Another where the repository was removed since and made again. */
  readonly epoch: string
  readonly version: number
  readonly refs: Readonly<Record<string, string>>
  readonly head: string | undefined
}

/** Beside the files of git, which does not mind. */
const SYNCED = 'aloft-shared.json'

export async function readSynced(folder: string): Promise<Synced | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, SYNCED), 'utf8')) as Synced
  } catch {
    // Absent, or cut short by a crash: then everything is compared again.
    return undefined
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = temporaryName(path)
  await writeFile(temporary, text, { mode: 0o600 })
  await rename(temporary, path)
}

export const writeSynced = (folder: string, synced: Synced): Promise<void> =>
  writeWhole(join(folder, SYNCED), JSON.stringify(synced))

/** How often the repository had been removed when the copy on this disk was made; undefined where nobody noted it. */
const REMOVALS = 'aloft-removals'

export async function readRemovals(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, REMOVALS), 'utf8').catch(() => '')
  return text === '' ? undefined : Number(text)
}

export const writeRemovals = (folder: string, count: number): Promise<void> =>
  writeWhole(join(folder, REMOVALS), String(count)).catch((error: unknown) => {
    // Another process has found it without the note, and makes it anew.
    if (!isMissing(error)) throw error
  })

export const writeShallow = (folder: string, text: string): Promise<void> =>
  writeWhole(join(folder, 'shallow'), text)

const AT_ONCE = 32

/** Many at once: small contents that come together are stored together. */
export async function atOnce<T>(paths: readonly T[], work: (path: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < paths.length; at += AT_ONCE)
    await Promise.all(paths.slice(at, at + AT_ONCE).map(work))
}

/** Brings the objects that are not there. They are named by their contents, so that one that is there is right. */
export async function fetchObjects(
  folder: string,
  contents: ReadonlyMap<string, SharedContent>,
  blobs: Pick<BlobStore, 'open'>,
): Promise<void> {
  const bring = async (path: string) => {
    const file = join(folder, 'objects', path)
    if (existsSync(file)) return
    const { sha256 } = contents.get(path) as SharedContent
    const content = await blobs.open(sha256)
    if (!content) throw new Error(`an object of a repository is not there: ${path}`)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    // Others may bring the same one, in this process too.
    const temporary = join(dirname(file), `tmp_obj_${randomUUID()}`)
    try {
      await pipeline(content, createWriteStream(temporary, { mode: 0o600, flush: true }))
      await rename(temporary, file)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }
  // A pack is found by its index: that comes last.
  const isIndex = (path: string) => path.endsWith('.idx')
  const paths = [...contents.keys()]
  await atOnce(
    paths.filter((path) => !isIndex(path)),
    bring,
  )
  await atOnce(paths.filter(isIndex), bring)
}
