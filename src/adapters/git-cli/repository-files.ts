import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitRepositories } from '#core/git/git-repositories.ts'
import { EMPTY_REPOSITORY, isCopy } from '#core/git/git-repositories.ts'

/** A repository at one moment, as files that can be kept elsewhere. */
export interface RepositorySnapshot {
  /** What changes: `HEAD`, `packed-refs` and, of one that was pushed to from a shallow clone, `shallow`. */
  readonly texts: ReadonlyMap<string, Buffer>
  /** What never changes once it is there, by its path below `objects`. */
  readonly objects: readonly { readonly path: string; readonly size: number }[]
}

export interface RepositoryFiles {
  /** The repositories that people push to. Copies of repositories elsewhere are left out: they are fetched again. */
  ids(): Promise<readonly string[]>
  snapshot(id: string): Promise<RepositorySnapshot>
  /** Where the objects of a repository are. */
  objectsOf(id: string): string
}

const OBJECT = /^(?:[0-9a-f]{2}\/[0-9a-f]{38,62}|pack\/pack-[0-9a-f]{40,64}\.(?:pack|idx|rev))$/

export function createRepositoryFiles(
  folder: string,
  repositories: Pick<GitRepositories, 'ids' | 'refs' | 'incoming'>,
): RepositoryFiles {
  const objectsOf = (id: string) => join(folder, `${id}.git`, 'objects')
  return {
    objectsOf,

    async ids() {
      const found: string[] = []
      for (const id of await repositories.ids())
        if (id !== EMPTY_REPOSITORY && !isCopy(id) && (await repositories.incoming(id)).size === 0)
          found.push(id)
      return found
    },

    async snapshot(id) {
      const at = join(folder, `${id}.git`)
      // The refs before the objects: what they name is there by now, and stays.
      const refs = await repositories.refs(id)
      const texts = new Map([
        ['packed-refs', Buffer.from([...refs].map(([ref, oid]) => `${oid} ${ref}\n`).join(''))],
      ])
      for (const name of ['HEAD', 'shallow']) {
        const text = await readFile(join(at, name)).catch(() => undefined)
        if (text) texts.set(name, text)
      }
      const objects: { path: string; size: number }[] = []
      for (const path of (await readdir(join(at, 'objects'), { recursive: true })).sort()) {
        if (!OBJECT.test(path)) continue
        const found = await stat(join(at, 'objects', path)).catch(() => undefined)
        if (found) objects.push({ path, size: found.size })
      }
      return { texts, objects }
    },
  }
}
