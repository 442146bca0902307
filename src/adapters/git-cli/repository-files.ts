import { link, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitRepositories } from '#core/git/git-repositories.ts'
import { EMPTY_REPOSITORY, GitError, isCopy } from '#core/git/git-repositories.ts'
import { isMissing } from '../fs/error-code.ts'
import { ASIDE } from './aside.ts'

/** A repository at one moment, as files that can be kept elsewhere. */
export interface RepositorySnapshot {
  /** What changes: `HEAD`, `packed-refs` and, of one that was pushed to from a shallow clone, `shallow`. */
  readonly texts: ReadonlyMap<string, Buffer>
  /** What never changes once it is there: its path below `objects`, and the file that has it until it is let go. */
  readonly objects: readonly { readonly path: string; readonly file: string; readonly size: number }[]
}

/** The repositories that people push to, whatever is deleted or packed anew while they are held. */
export interface HeldRepositories {
  /** Copies of repositories elsewhere are left out: they are fetched again. */
  ids(): Promise<readonly string[]>
  snapshot(id: string): Promise<RepositorySnapshot>
  close(): Promise<void>
}

export interface RepositoryFiles {
  hold(): Promise<HeldRepositories>
}

const FOLDER = /^[0-9a-f]{2}$/
const LOOSE = /^[0-9a-f]{38,62}$/
const PACK = /^pack-[0-9a-f]{40,64}\.(?:pack|idx|rev)$/
const ATTEMPTS = 10

export function createRepositoryFiles(
  folder: string,
  repositories: Pick<GitRepositories, 'ids' | 'refs' | 'incoming'>,
): RepositoryFiles {
  /** Undefined where something was packed anew meanwhile. */
  async function take(id: string, into: string): Promise<RepositorySnapshot | undefined> {
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
    await mkdir(into)
    const objects: RepositorySnapshot['objects'][number][] = []
    for (const path of await pathsOf(join(at, 'objects'))) {
      const file = await hold(join(at, 'objects', path), join(into, path.replaceAll('/', '-')))
      const found = file && (await stat(file).catch(() => undefined))
      if (!file || !found) return undefined
      objects.push({ path, file, size: found.size })
    }
    return { texts, objects }
  }

  return {
    async hold() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const held = await mkdtemp(join(folder, ASIDE.held))
      return {
        async ids() {
          const found: string[] = []
          for (const id of await repositories.ids())
            if (id !== EMPTY_REPOSITORY && !isCopy(id) && (await repositories.incoming(id)).size === 0)
              found.push(id)
          return found
        },

        async snapshot(id) {
          for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
            const taken = await take(id, join(held, `${id}-${attempt}`))
            if (taken) return taken
          }
          throw new GitError(`the repository ${id} changes too often to be read`)
        },

        close: () => rm(held, { recursive: true, force: true }),
      }
    },
  }
}

/** Objects on their own before those in packs: whatever is moved into a pack meanwhile is found in one of them. */
async function pathsOf(objects: string): Promise<readonly string[]> {
  const paths: string[] = []
  const folders = (await readdir(objects).catch(() => [])).filter((name) => FOLDER.test(name))
  for (const name of folders.sort()) {
    const names = await readdir(join(objects, name)).catch(() => [])
    for (const loose of names.sort()) if (LOOSE.test(loose)) paths.push(`${name}/${loose}`)
  }
  const packs = await readdir(join(objects, 'pack')).catch(() => [])
  return [...paths, ...packs.filter((name) => PACK.test(name)).map((name) => `pack/${name}`)]
}

/** The same file under a second name, which stays when the first goes; undefined where it has gone. */
async function hold(file: string, name: string): Promise<string | undefined> {
  try {
    await link(file, name)
    return name
  } catch (error) {
    if (isMissing(error)) return undefined
    // A file system without links.
    return file
  }
}
