import { matchesGlob } from 'node:path'
import { PackFault } from './fault.ts'
import type { FunctionSource, IndexProgram } from './job.ts'
import { isJunk, type Packing, programTree } from './packing.ts'
import { show } from './place.ts'

const JUNK: ReadonlySet<string> = new Set(['node_modules', '__pycache__', '.venv', 'venv', '.pytest_cache'])

export const isPythonJunk = (name: string): boolean => JUNK.has(name) || isJunk(name)

export type PythonArchive = (
  source: Pick<FunctionSource, 'file' | 'excludeFiles'>,
) => Promise<Pick<IndexProgram, 'archive' | 'fileCount'>>

/** Nothing tells what Python code will read, so its programs get the whole folder; those alike share an archive. */
export function createPythonArchives(packing: Packing, root: string): PythonArchive {
  const known = new Map<string, Promise<{ archive: number; fileCount: number; files: ReadonlySet<string> }>>()
  const make = async (excluded: readonly string[]) => {
    const tree = programTree(packing, { outsideLinks: 'leave-out' })
    tree.addFolder(
      '',
      root,
      (path, name) => isPythonJunk(name) || excluded.some((glob) => matchesGlob(path, glob)),
    )
    const entries = tree.finish()
    const archive = await packing.results.addArchive(entries)
    return { archive, fileCount: entries.size, files: new Set(entries.keys()) }
  }
  return async ({ file, excludeFiles = [] }) => {
    const key = JSON.stringify(excludeFiles)
    const made = known.get(key) ?? make(excludeFiles)
    known.set(key, made)
    const { archive, fileCount, files } = await made
    if (!files.has(file)) throw new PackFault('missing_function', `${show(file)} is among what is left out`)
    return { archive, fileCount }
  }
}
