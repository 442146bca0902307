import { join } from 'node:path'
import { assertBlobName } from '#core/ports/blob-store.ts'
import { syncFolder } from '../../fs/private-file.ts'
import { makeFolder } from './disk.ts'

/** Where things are in the blob folder. Everything is on one file system, so that a rename is atomic. */
export interface Layout {
  readonly root: string
  readonly index: string
  readonly openingLock: string
  readonly reserve: string
  readonly packs: string
  readonly temp: string
  readonly writers: string
  readonly large: string
  /** Large contents that were found damaged, for people to look at. */
  readonly damaged: string
  packPath(name: string): string
  largeFolder(prefix: string): string
  largePath(sha256: string): string
}

/** What deletions need when nothing is left: see `adapters/fs/reserve.ts`. */
export const RESERVE_BYTES = 1 << 20

export const PREFIXES: readonly string[] = Array.from({ length: 256 }, (_, n) =>
  n.toString(16).padStart(2, '0'),
)

export function layoutOf(root: string): Layout {
  const large = join(root, 'large')
  const packs = join(root, 'packs')
  return {
    root,
    index: join(root, 'index.sqlite'),
    openingLock: join(root, 'opening.lock'),
    reserve: join(root, 'reserve'),
    packs,
    temp: join(root, 'temp'),
    writers: join(root, 'writers'),
    large,
    damaged: join(root, 'damaged'),
    packPath: (name) => join(packs, name),
    largeFolder: (prefix) => join(large, prefix),
    largePath: (sha256) => {
      assertBlobName(sha256)
      return join(large, sha256.slice(0, 2), sha256)
    },
  }
}

export async function makeLayout(layout: Layout): Promise<void> {
  for (const folder of [layout.root, layout.packs, layout.temp, layout.writers, layout.large])
    await makeFolder(folder)
  await syncFolder(layout.root)
}
