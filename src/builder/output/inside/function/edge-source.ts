import { builtinModules } from 'node:module'
import { extname, join, relative } from 'node:path'
import { type BuildOptions, build, type StdinOptions } from 'esbuild'
import type { IndexProgram } from '../job.ts'
import { type Packing, programTree } from '../packing.ts'
import { compileFault } from './compile.ts'
import { EDGE_NODE } from './function-folder.ts'

const BUILTINS = builtinModules.flatMap((name) => [name, `node:${name}`])

/** A file, or a text that imports files. */
type Source = string | StdinOptions

/** A function for an edge runtime, with everything it needs in one module. */
export async function packEdgeSource(
  packing: Packing,
  root: string,
  file: string,
): Promise<Omit<IndexProgram, 'memoryMb' | 'maxDuration' | 'env'>> {
  const code = await bundleEdge(packing, file)
  const entry = relative(root, moduleName(file))
  const tree = programTree(packing)
  tree.addBytes(entry, code)
  const entries = tree.finish()
  const archive = await packing.results.addArchive(entries)
  return { runtime: 'node', version: EDGE_NODE, shape: 'edge', entry, archive, fileCount: entries.size }
}

/** One module for an edge runtime. */
export const bundleEdge = (packing: Packing, source: Source): Promise<Buffer> =>
  bundle(packing, source, {
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'browser', 'main'],
    conditions: ['edge-light', 'worker', 'browser', 'import', 'default'],
  })

/** What is bundled may still ask for modules of Node in the older way. */
const REQUIRE =
  "import { createRequire as __create } from 'node:module'; const require = __create(import.meta.url);"

/** One module for Node. */
export const bundleNode = (packing: Packing, source: Source, version: string): Promise<Buffer> =>
  bundle(packing, source, {
    platform: 'node',
    target: `node${version.replace(/\.x$/, '')}`,
    banner: { js: REQUIRE },
  })

/** The source map names sources as seen from there. */
const outfileOf = (workspace: string, source: Source): string =>
  typeof source === 'string' ? moduleName(source) : join(workspace, 'module.mjs')

const moduleName = (path: string): string => `${path.slice(0, -extname(path).length)}.mjs`

async function bundle({ place }: Packing, source: Source, options: BuildOptions): Promise<Buffer> {
  const isFile = typeof source === 'string'
  const { outputFiles } = await build({
    ...{ absWorkingDir: place.workspace, bundle: true, write: false, format: 'esm', logLevel: 'silent' },
    ...(isFile ? { entryPoints: [source] } : { stdin: source }),
    external: BUILTINS,
    ...{ sourcemap: 'inline', sourcesContent: false, outfile: outfileOf(place.workspace, source) },
    ...options,
  }).catch((error) => {
    throw compileFault(isFile ? source : (source.sourcefile ?? ''), error)
  })
  return Buffer.from(outputFiles?.[0]?.contents ?? [])
}
