import { dirname, isAbsolute, posix } from 'node:path'
import { PackFault } from '../fault.ts'
import type { IndexProgram } from '../job.ts'
import { type Packing, programTree } from '../packing.ts'
import { locate, realOf, show } from '../place.ts'
import { countOf, type Json, jsonOf, readJson, textOf, textsOf } from '../read-json.ts'
import type { Tree } from '../tree.ts'

const CONFIG = '.vc-config.json'
/** What code for edge runtimes runs on. */
export const EDGE_NODE = '24.x'
const MAX_MEMORY_MB = 16_384
const MAX_SECONDS = 3600
const DEFAULT_MEMORY_MB = 1024
const DEFAULT_SECONDS = 60

/** One `.func` folder. */
export async function packFunctionFolder(
  packing: Packing,
  output: string,
  path: string,
  folder: string,
): Promise<IndexProgram> {
  const configPath = locate(packing.place, folder, CONFIG)
  const config = readJson(configPath ?? `${folder}/${CONFIG}`, `${path}.func/${CONFIG}`)
  const tree = programTree(packing)
  tree.addFolder('', folder, (inner) => inner === CONFIG)
  addMapped(packing, output, tree, jsonOf(config.filePathMap))
  const how = howToRun(config, path, tree)
  const entries = tree.finish()
  return {
    ...how,
    archive: await packing.results.addArchive(entries),
    fileCount: entries.size,
    memoryMb: countOf(config.memory, 128, MAX_MEMORY_MB) ?? DEFAULT_MEMORY_MB,
    maxDuration: countOf(config.maxDuration, 1, MAX_SECONDS) ?? DEFAULT_SECONDS,
    // The name by which Node functions are told to do without the additions to their request and response.
    env: {
      ...(config.shouldAddHelpers !== true ? { NODEJS_HELPERS: '0' } : {}),
      ...textsOf(config.environment),
    },
  }
}

/** Files that lie elsewhere in the workspace and belong into the function's folder. */
function addMapped({ place }: Packing, output: string, tree: Tree, map: Json): void {
  // Paths are relative to the folder in which the build ran: the workspace, or the one that holds the output.
  const bases = [place.workspace, dirname(dirname(output))]
  for (const [path, value] of Object.entries(map)) {
    const source = textOf(value)
    const isPlain = !isAbsolute(path) && posix.normalize(path) === path && !path.startsWith('..')
    if (source === undefined || !isPlain || path === '.' || path.endsWith('/'))
      throw new PackFault(
        'invalid_output',
        `filePathMap has the entry ${show(path)}, which is not a plain path`,
      )
    const disk = bases.flatMap((base) => onDisk(place, base, source) ?? [])[0]
    if (disk === undefined)
      throw new PackFault('missing_output', `filePathMap refers to ${show(source)}, which does not exist`)
    tree.addPath(path, disk)
  }
}

/** Where something lies, without the links before it; if it is a link itself it may stay one. */
function onDisk(place: Packing['place'], base: string, source: string): string | undefined {
  if (locate(place, base, source) === undefined) return undefined
  const folder = realOf(posix.join(base, posix.dirname(source)))
  return folder === undefined ? undefined : `${folder}/${posix.basename(source)}`
}

function howToRun(
  config: Json,
  path: string,
  tree: Tree,
): Pick<IndexProgram, 'runtime' | 'version' | 'shape' | 'entry'> {
  const runtime = textOf(config.runtime) ?? ''
  const node = /^nodejs(8\.10|\d{2})\.x$/.exec(runtime)
  const python = /^python(3\.\d{1,2})$/.exec(runtime)
  if (runtime === 'edge') {
    const entry = entryOf(tree, path, textOf(config.entrypoint) ?? 'index.js', [])
    return { runtime: 'node', version: EDGE_NODE, shape: 'edge', entry }
  }
  if (node) {
    const entry = entryOf(tree, path, textOf(config.handler) ?? 'index.js', ['.js', '.mjs', '.cjs'])
    return {
      runtime: 'node',
      version: `${node[1]}.x`,
      shape: config.useWebApi === true ? 'web' : 'handler',
      entry,
    }
  }
  if (python) {
    const entry = entryOf(tree, path, textOf(config.handler) ?? 'index.py', ['.py'])
    return { runtime: 'python', version: python[1] as string, shape: 'handler', entry }
  }
  throw new PackFault(
    'unsupported_runtime',
    `The function ${show(path)} needs the runtime ${show(runtime)}, which is not supported`,
  )
}

/** A handler is a file, or a module and the name of its export, as in `index.handler`. */
function entryOf(tree: Tree, path: string, handler: string, extensions: readonly string[]): string {
  const named = posix.normalize(handler).replace(/^\/+/, '')
  const module = named.replace(/\.[^./]*$/, '')
  const candidates = [named, ...extensions.flatMap((extension) => [named + extension, module + extension])]
  const found = candidates.find((candidate) => tree.has(candidate))
  if (found !== undefined) return found
  throw new PackFault('missing_output', `The function ${show(path)} lacks its file ${show(handler)}`)
}
