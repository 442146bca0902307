import { AloftError, invalidRequest } from '#contract/errors.ts'
import { MAX_FILES } from '../../deployment/file/manifest.ts'
import { GitError, type GitRepositories, type TreeEntry } from '../git-repositories.ts'
import { readAddress } from '../source/source.ts'
import { type GitModules, readGitmodules } from './gitmodules.ts'
import { MODULE } from './tree-files.ts'

/** A file of a commit, with the repository that holds its content. */
export interface OwnedEntry extends TreeEntry {
  readonly repository: string
  /** Where that repository comes from. */
  readonly origin: string
}

/** A commit, and where relative addresses of its submodules begin. */
export interface CommitPlace {
  readonly repository: string
  readonly commit: string
  readonly url: string
  /** Its files, where they were read before. */
  readonly tree?: readonly TreeEntry[]
}

/**
 * Brings the commit of a submodule to this machine and answers the repository that holds it. Rejects with a `GitError`
 * that says why it could not.
 */
export type OpenModule = (module: { readonly url: string; readonly commit: string }) => Promise<string>

/** Submodules of submodules, and how many of them in all. */
const MAX_DEPTH = 5
const MAX_MODULES = 50
const MAX_TEXT = 64 * 1024

/** The files of a commit together with those of its submodules, each in its folder. */
export async function entriesWithModules(
  repositories: Pick<GitRepositories, 'tree' | 'contents'>,
  at: CommitPlace,
  open: OpenModule,
): Promise<{ readonly entries: readonly OwnedEntry[]; readonly notes: readonly string[] }> {
  const notes: string[] = []
  let opened = 0

  let count = 0

  async function entriesOf(place: CommitPlace, prefix: string, depth: number): Promise<OwnedEntry[]> {
    const { repository } = place
    const tree = place.tree ?? (await repositories.tree(repository, place.commit))
    count += tree.length
    if (count > MAX_FILES)
      throw invalidRequest(`The commit and its submodules should have at most ${MAX_FILES} files.`)
    const origin = place.url
    const own = tree.map((entry) => ({ ...entry, repository, origin, path: `${prefix}${entry.path}` }))
    const modules = tree.filter(({ mode }) => mode === MODULE)
    if (modules.length === 0) return own
    const described = await modulesOf(repositories, repository, tree)
    notes.push(...described.problems)
    const inner: OwnedEntry[] = []
    for (const { path, oid } of modules) {
      const leftOut = (why: string) => notes.push(`${prefix}${path} is a submodule and was skipped: ${why}`)
      const url = described.byPath.get(path)?.url
      if (url === undefined) leftOut('.gitmodules has no URL for it.')
      else if (depth >= MAX_DEPTH) leftOut(`submodules are followed ${MAX_DEPTH} levels deep.`)
      else if (++opened > MAX_MODULES) leftOut(`a commit can have at most ${MAX_MODULES} of them.`)
      else
        try {
          const address = moduleAddress(place.url, url)
          const module = { repository: await open({ url: address, commit: oid }), commit: oid, url: address }
          inner.push(...(await entriesOf(module, `${prefix}${path}/`, depth + 1)))
        } catch (error) {
          if (!(error instanceof GitError)) throw error
          leftOut(error.message)
        }
    }
    // What was opened is there by its files; the rest is told above.
    return [...own.filter(({ mode }) => mode !== MODULE), ...inner]
  }

  return { entries: await entriesOf(at, '', 0), notes }
}

async function modulesOf(
  repositories: Pick<GitRepositories, 'contents'>,
  repository: string,
  tree: readonly TreeEntry[],
): Promise<GitModules> {
  const file = tree.find(({ path, mode }) => path === '.gitmodules' && mode.startsWith('100'))
  if (!file || file.size > MAX_TEXT) return { byPath: new Map(), problems: [] }
  for await (const content of repositories.contents(repository, [file]))
    if ('bytes' in content) return readGitmodules(content.bytes.toString('utf8'))
  return { byPath: new Map(), problems: [] }
}

/** Where repositories that people push to here are, for addresses relative to one of them: `aloft://own/<account>/…`. */
export const OWN = 'aloft://own/'

/** Only by https, http and ssh; one that begins with a dot is meant beside the repository that names it. */
export function moduleAddress(parent: string, url: string): string {
  const isRelative = /^\.{1,2}\//.test(url)
  const full = isRelative ? URL.parse(url, `${parent.replace(/\/+$/, '')}/`)?.href : url
  if (isRelative && full?.startsWith(OWN)) return full
  try {
    return readAddress(full ?? '').url
  } catch (error) {
    if (!(error instanceof AloftError)) throw error
    throw new GitError(`its URL ${JSON.stringify(url.slice(0, 200))} is neither https nor SSH.`)
  }
}
