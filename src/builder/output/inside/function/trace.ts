import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeFileTrace, resolve } from '@vercel/nft'
import { PackFault } from '../fault.ts'
import { isJunk } from '../packing.ts'
import { type Place, statOf } from '../place.ts'
import { type Compile, type Compiled, isOwn, sourcesOf } from './compile.ts'

export interface Traced {
  /** Relative to the workspace; links among them. */
  readonly files: ReadonlySet<string>
  /** By the path of the source, relative to the workspace. */
  readonly compiled: ReadonlyMap<string, Compiled>
}

export type Trace = (entries: readonly string[], root: string) => Promise<Traced>

/** Finds the files that programs need, by reading their code. What was found is kept for the next program. */
export function createTrace(place: Place, compile: Compile): Trace {
  const caches = { code: {}, analysed: {} }
  const run = async (
    entries: readonly string[],
    root: string,
    view: keyof typeof caches,
  ): Promise<Traced> => {
    // A source that is only read, such as a script for browsers, stays as it is.
    const imported = new Set(entries)
    const read = async (path: string): Promise<string | Buffer | null> => {
      const compiled = statOf(path)?.isFile()
        ? await compile(path).catch((error) => {
            if (imported.has(path)) throw error
          })
        : undefined
      return compiled ? compiled[view] : readFile(path).catch(absent)
    }
    const { fileList } = await nodeFileTrace([...entries], {
      base: place.workspace,
      processCwd: root,
      ts: true,
      mixedModules: true,
      cache: caches[view],
      ignore: (path) => path.split('/').some(isJunk),
      readFile: read,
      resolve: async (id, parent, job, cjs) => {
        const found = await resolve(id, parent, job, cjs).catch((error) => sourceOf(place, id, parent, error))
        for (const path of [found].flat()) imported.add(path)
        return found
      },
    })
    const compiled = new Map<string, Compiled>()
    for (const file of fileList) {
      const path = join(place.workspace, file)
      const made = imported.has(path) ? await compile(path) : undefined
      if (made) compiled.set(file, made)
    }
    return { files: fileList, compiled }
  }
  return async (entries, root) => {
    const traced = await run(entries, root, 'code')
    if (![...traced.compiled.values()].some(({ code, analysed }) => code !== analysed)) return traced
    const more = await run(entries, root, 'analysed')
    return {
      files: new Set([...traced.files, ...more.files]),
      compiled: new Map([...traced.compiled, ...more.compiled]),
    }
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'EISDIR', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(error.code ?? '')) return null
  throw new PackFault('trace_failed', `A file cannot be read: ${error.message}`)
}

/** Compiled code names compiled files, of which only the sources exist. */
function sourceOf(place: Place, id: string, parent: string, error: unknown): string {
  if (id.startsWith('.') && isOwn(place, parent)) {
    const named = new URL(id, `file://${encodeURI(parent)}`)
    const source = sourcesOf(decodeURI(named.pathname)).find((path) => statOf(path)?.isFile())
    if (source !== undefined) return source
  }
  throw error
}
