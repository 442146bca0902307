import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Target } from '#contract/api/deployment.ts'
import { MINUTE } from '#contract/time.ts'
import type { Log } from '#core/ports/log.ts'
import type { Project } from '#core/project/project.ts'
import { syncTree, treeBytes } from '../remove-tree.ts'
import { putIn, takeOut } from './move-folder.ts'
import { packTree, unpackTree } from './pack-tree.ts'

/** What a build left for the next of its project. */
interface Contents {
  readonly digests: Readonly<Record<string, string>>
  /** Paths below the source's root; the folders are `trees/0`, `trees/1` … */
  readonly trees: readonly string[]
  /** Of the machine, when they were left. Absent once they outlast a power cut, and from those of earlier releases. */
  readonly boot?: string
}

/** Paths are below the source's root. */
export interface CachedFolders {
  /** What dependencies were installed from, by the folder of their package.json; only where that tells everything. */
  readonly digests: Readonly<Record<string, string>>
  readonly paths: readonly string[]
}

interface CacheScope {
  readonly project: Pick<Project, 'id' | 'ownerId'>
  /**
   * Production has a cache that only builds for production write: whoever may deploy previews, and no more, would
   * else leave something in it for the next build that goes public.
   */
  readonly target: Target | null
  /** Of code from a fork: its branch, which has a cache to itself; what strangers leave behind reaches nobody else. */
  readonly fork: string | undefined
  /** The line of Node.js: addons in node_modules are of one, and an installation over them leaves them as they are. */
  readonly nodeVersion: string
  /** A folder of ours on the same file system, which must not exist yet. */
  readonly via: string
  /** What code of users has to itself, and in it the paths of the source and of downloads. */
  readonly base: string
  readonly source: string
  readonly downloads: string
}

/**
 * Folders that are handed from one build of a project to its next of the same kind by renaming them: never two builds have the same,
 * and no other project ever sees them.
 */
interface ProjectCaches {
  restore(place: CacheScope): Promise<CachedFolders>
  /** Call when nothing runs in the place any more. */
  keep(place: CacheScope, what: CachedFolders): Promise<void>
  /** Drops what was not used for longest until all is within the budget. */
  shrink(): Promise<void>
}

/** Caches that builds on other machines have left. */
export interface SharedCaches {
  take(ownerId: string, key: string): Promise<Readable | undefined>
  /** Of what an account has there, what was left longest ago makes room for this. */
  give(ownerId: string, key: string, archive: Readable): Promise<void>
}

interface Weighed {
  readonly key: string
  readonly at: number
  readonly bytes: number
}

const MOST_TREES = 500
/** By then the system has written all of it by itself, so that nobody waits for the disk because of it. */
const SYNC_AFTER_MS = MINUTE
export const NOTHING_CACHED: CachedFolders = { digests: {}, paths: [] }

function keyOf({
  project: { id, ownerId },
  target,
  fork,
  nodeVersion,
}: Pick<CacheScope, 'project' | 'target' | 'fork' | 'nodeVersion'>): string {
  const whose = fork === undefined ? (target === 'production' ? 'production' : 'preview') : `fork ${fork}`
  const made = `${nodeVersion} ${process.platform} ${process.arch}`
  return createHash('sha256').update([ownerId, id, whose, made].join('\n')).digest('hex').slice(0, 40)
}

const CONTENTS = 'contents.json'

const readContents = async (folder: string): Promise<Contents> =>
  JSON.parse(await readFile(join(folder, CONTENTS), 'utf8')) as Contents

/** Without those that lie in another of them. */
const outermost = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].filter((path) => !paths.some((other) => path.startsWith(`${other}/`)))

export function createProjectCaches({
  folder,
  budgetBytes,
  projectBytes,
  log,
  discard,
  shared,
  later,
  weighTree = treeBytes,
  boot = '',
  syncAfterMs = SYNC_AFTER_MS,
}: {
  readonly folder: string
  readonly budgetBytes: number
  /** What one project's may take, or it begins anew. */
  readonly projectBytes: number
  readonly log: Log
  /** Takes a folder away at once and removes it some time. */
  readonly discard: (path: string) => Promise<void>
  /** Absent where there are no other machines. */
  readonly shared?: SharedCaches | undefined
  /** Has something done while nobody waits for it. */
  readonly later: (work: Promise<unknown>, what: string) => void
  /** What a folder takes; undefined where that cannot be told. */
  readonly weighTree?: (path: string) => Promise<number | undefined>
  /** Another one each time that the machine has started. */
  readonly boot?: string
  readonly syncAfterMs?: number
}): ProjectCaches {
  /** The space each takes, once counted; a kept cache is never written to. */
  const counted = new Map<string, { readonly at: number; readonly bytes: number }>()

  /** Undefined for one that cannot be counted. */
  async function weigh(key: string): Promise<Weighed | undefined> {
    const path = join(folder, key)
    const at = (await stat(path)).mtimeMs
    const known = counted.get(key)
    if (known?.at === at) return { key, ...known }
    const bytes = await weighTree(path)
    if (bytes === undefined) return undefined
    counted.set(key, { at, bytes })
    return { key, at, bytes }
  }

  /** What the last build of the project left on another machine, where this one has nothing. */
  async function fetchShared(ownerId: string, key: string, via: string): Promise<boolean> {
    try {
      const archive = await shared?.take(ownerId, key)
      if (!archive) return false
      await mkdir(via, { recursive: true, mode: 0o700 })
      await unpackTree(archive, via, projectBytes)
      return true
    } catch (error) {
      log.warn({ err: error }, 'the cache of a project could not be copied from another machine')
      await discard(via)
      return false
    }
  }

  /** Whether the files of one that was left on this machine cannot be empty because it has lost power since. */
  async function isWhole(path: string): Promise<boolean> {
    const contents = await readContents(path).catch(() => undefined)
    return contents !== undefined && (contents.boot ?? boot) === boot
  }

  /** Has one that is still there outlast a power cut, and remembers that. */
  async function settle(path: string, contents: Contents, ino: number): Promise<void> {
    const isThere = () =>
      stat(path).then(
        (now) => now.ino === ino,
        () => false,
      )
    if ((await isThere()) && (await syncTree(path)) && (await isThere()))
      await writeFile(join(path, CONTENTS), JSON.stringify(contents))
  }

  return {
    async restore({ via, base, source, downloads, ...whose }) {
      const { project } = whose
      const key = keyOf(whose)
      const isHere = await rename(join(folder, key), via).then(
        () => isWhole(via),
        () => false,
      )
      if (!isHere) await discard(via)
      if (!isHere && !(await fetchShared(project.ownerId, key, via))) return NOTHING_CACHED
      try {
        const { digests, trees } = await readContents(via)
        await putIn(join(via, 'downloads'), base, downloads)
        const paths: string[] = []
        for (const [i, path] of trees.entries())
          if (await putIn(join(via, 'trees', String(i)), base, `${source}/${path}`)) paths.push(path)
        const lost = trees.some((path) => /(?:^|\/)node_modules$/.test(path) && !paths.includes(path))
        return { digests: lost ? {} : digests, paths }
      } catch (error) {
        log.warn({ err: error, project: project.id }, 'the cache of a project could not be restored')
        return NOTHING_CACHED
      } finally {
        await discard(via)
      }
    },

    async keep({ via, base, source, downloads, ...whose }, { digests, paths }) {
      await mkdir(join(via, 'trees'), { recursive: true, mode: 0o700 })
      const trees: string[] = []
      for (const path of outermost(paths).slice(0, MOST_TREES))
        if (await takeOut(base, `${source}/${path}`, join(via, 'trees', String(trees.length))))
          trees.push(path)
      await takeOut(base, downloads, join(via, 'downloads'))
      const contents: Contents = { digests, trees }
      await writeFile(join(via, CONTENTS), JSON.stringify({ ...contents, boot } satisfies Contents))
      const key = keyOf(whose)
      const path = join(folder, key)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // Another build of the project may have ended meanwhile; the later one stays.
      await discard(path)
      const { ino } = await stat(via)
      await rename(via, path)
      const settleLater = () =>
        setTimeout(() => void settle(path, contents, ino).catch(() => {}), syncAfterMs).unref()
      if (shared)
        later(
          // Nothing in it may change meanwhile.
          shared.give(whose.project.ownerId, key, packTree(path, projectBytes)).finally(settleLater),
          'the cache of a project could not be shared with other machines',
        )
      else settleLater()
    },

    async shrink() {
      const caches: Weighed[] = []
      for (const key of await readdir(folder).catch(() => [])) {
        // One that a build takes meanwhile is none.
        const weighed = await weigh(key).catch(() => null)
        if (weighed) caches.push(weighed)
        else if (weighed === undefined) await discard(join(folder, key))
      }
      caches.sort((a, b) => a.at - b.at)
      let total = caches.reduce((sum, { bytes }) => sum + bytes, 0)
      for (const { key, bytes } of caches) {
        if (total <= budgetBytes && bytes <= projectBytes) continue
        total -= bytes
        counted.delete(key)
        await discard(join(folder, key))
      }
    },
  }
}
