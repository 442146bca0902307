import { dirname } from 'node:path'
import { PackFault } from '../fault.ts'
import { matcherOf } from '../globs.ts'
import type { FunctionSource, IndexProgram } from '../job.ts'
import { isJunk, type Packing, programTree } from '../packing.ts'
import { show } from '../place.ts'
import type { Skip, Tree } from '../tree.ts'

/** The folders into which the build installs the packages of Python code. */
const PACKAGES = /(?:^|\/)_vendor\//
const COMPILED = '__pycache__'
const TOO_LARGE: ReadonlySet<string> = new Set(['too_large', 'too_many_files'])
const JUNK: ReadonlySet<string> = new Set(['node_modules', COMPILED, '.venv', 'venv', '.pytest_cache'])

/** What a framework beside the functions keeps from build to build, which is in the source before anything is built. */
const CACHE = /(?:^|\/)\.(?:[^/]+\/cache|turbo|pnpm-store)$/

const isPythonJunk = (path: string, name: string): boolean =>
  JUNK.has(name) || isJunk(name) || CACHE.test(path)

/** What the build compiled of the packages that it installed; compiled code that was uploaded may be of any Python. */
const isOfPackages = (path: string, name: string): boolean => name === COMPILED && PACKAGES.test(path)

/** A folder of Python code with its packages, and what was compiled of them unless it is that which makes it too large. */
export function pythonTree(packing: Packing, root: string, leaveOut: Skip = () => false): Tree {
  const gathered = (keep: Skip): Tree => {
    const tree = programTree(packing, { outsideLinks: 'leave-out' })
    tree.addFolder(
      '',
      root,
      (path, name, folder) =>
        (isPythonJunk(path, name) && !keep(path, name, folder)) || leaveOut(path, name, folder),
    )
    return tree
  }
  try {
    return gathered(isOfPackages)
  } catch (error) {
    if (!(error instanceof PackFault && TOO_LARGE.has(error.code))) throw error
    return gathered(() => false)
  }
}

/** Whether code finds packages: those that are beside it, or further up. */
function isFound(packages: string, file: string): boolean {
  const folder = dirname(packages)
  return folder === '.' || file.startsWith(`${folder}/`)
}

export type PythonArchive = (
  source: Pick<FunctionSource, 'file' | 'excludeFiles'>,
) => Promise<Pick<IndexProgram, 'archive' | 'fileCount'>>

/**
 * Nothing tells what Python code will read, so its programs get the whole folder, but for the packages of other programs;
 * those alike share an archive.
 */
export function createPythonArchives(
  packing: Packing,
  root: string,
  packages: readonly string[],
): PythonArchive {
  const known = new Map<string, Promise<{ archive: number; fileCount: number; files: ReadonlySet<string> }>>()
  const make = async (excluded: readonly string[], foreign: ReadonlySet<string>) => {
    const isExcluded = matcherOf(excluded)
    const tree = pythonTree(packing, root, (path) => foreign.has(path) || isExcluded(path))
    const entries = tree.finish()
    const archive = await packing.results.addArchive(entries)
    return { archive, fileCount: entries.size, files: new Set(entries.keys()) }
  }
  return async ({ file, excludeFiles = [] }) => {
    const foreign = packages.filter((folder) => !isFound(folder, file))
    const key = JSON.stringify([excludeFiles, foreign])
    const made = known.get(key) ?? make(excludeFiles, new Set(foreign))
    known.set(key, made)
    const { archive, fileCount, files } = await made
    if (!files.has(file)) throw new PackFault('missing_function', `${show(file)} is excluded`)
    return { archive, fileCount }
  }
}
