import { posix } from 'node:path'
import { inSlices } from '../../slices.ts'
import type { TreeEntry } from '../git-repositories.ts'

export const LINK = '120000'
export const MODULE = '160000'
/** Links that lead to links. */
const MAX_HOPS = 8
/** Files and links that links to folders may stand for. */
const MAX_LINKED = 10_000

/** Never part of a deployment, wherever it is. */
const NEVER = /(?:^|\/)(?:\.git|\.hg|\.svn|\.aloft)(?:\/|$)/i

interface TreeFiles<Entry extends TreeEntry> {
  readonly files: readonly Entry[]
  /** What was left out, in words for the pusher. */
  readonly notes: readonly string[]
}

/**
 * The files of a commit as a deployment has them. Links are replaced by what they lead to within the commit; those
 * that lead out of it are left out, and so are submodules that are still among the entries.
 */
export async function filesOfTree<Entry extends TreeEntry>(
  entries: readonly Entry[],
  /** What links contain, by the ids of their objects. */
  targets: ReadonlyMap<string, string>,
): Promise<TreeFiles<Entry>> {
  const kept = entries.filter(({ path }) => !NEVER.test(path))
  const byPath = new Map(kept.map((entry) => [entry.path, entry]))
  const inOrder = kept.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const notes: string[] = []
  const files: Entry[] = []
  let linked = 0
  await inSlices(kept, (entry) => {
    if (entry.mode === MODULE) notes.push(`${entry.path} is a submodule and was skipped.`)
    else if (entry.mode !== LINK) files.push(entry)
    else {
      const found = follow(entry, byPath, inOrder, targets)
      if (found === undefined)
        notes.push(
          `${entry.path} is a symlink that points outside the repository or nowhere; it was skipped.`,
        )
      else if (typeof found !== 'string') files.push({ ...found, path: entry.path })
      else
        for (const inner of within(found, inOrder)) {
          if (++linked > MAX_LINKED) break
          if (inner.mode === LINK || inner.mode === MODULE) continue
          files.push({ ...inner, path: `${entry.path}/${inner.path.slice(found.length + 1)}` })
        }
    }
  })
  const paths = new Set<string>()
  return { files: files.filter(({ path }) => !paths.has(path) && paths.add(path)), notes }
}

/** What is in a folder, found by the order of the paths: there may be as many links as there are files. */
function* within<Entry extends TreeEntry>(folder: string, inOrder: readonly Entry[]): Generator<Entry> {
  const prefix = `${folder}/`
  let [from, to] = [0, inOrder.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((inOrder[middle] as Entry).path < prefix) from = middle + 1
    else to = middle
  }
  for (let at = from; inOrder[at]?.path.startsWith(prefix); at++) yield inOrder[at] as Entry
}

/** The file that a link leads to, or the folder. */
function follow<Entry extends TreeEntry>(
  link: Entry,
  byPath: ReadonlyMap<string, Entry>,
  inOrder: readonly Entry[],
  targets: ReadonlyMap<string, string>,
): Entry | string | undefined {
  let at = link
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const target = targets.get(at.oid)
    if (target === undefined || target.startsWith('/')) return undefined
    const path = posix.join(posix.dirname(at.path), target).replace(/\/+$/, '')
    if (path === '' || path === '.' || path === '..' || path.startsWith('../')) return undefined
    const found = byPath.get(path)
    if (found === undefined) {
      const isFolder = within(path, inOrder).next().done !== true
      // A folder that the link is in would hold itself without end.
      return isFolder && !link.path.startsWith(`${path}/`) ? path : undefined
    }
    if (found.mode === MODULE) return undefined
    if (found.mode !== LINK) return found
    at = found
  }
  return undefined
}
