import { builtinModules } from 'node:module'
import { extname, relative } from 'node:path'
import { build } from 'esbuild'
import { compileFault } from './compile.ts'
import { EDGE_NODE } from './function-folder.ts'
import type { IndexProgram } from './job.ts'
import { type Packing, programTree } from './packing.ts'

const BUILTINS = builtinModules.flatMap((name) => [name, `node:${name}`])

/** A function for an edge runtime, with everything it needs in one module. */
export async function packEdgeSource(
  packing: Packing,
  root: string,
  file: string,
): Promise<Omit<IndexProgram, 'memoryMb' | 'maxDuration' | 'env'>> {
  const { outputFiles } = await build({
    absWorkingDir: packing.place.workspace,
    entryPoints: [file],
    bundle: true,
    write: false,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    mainFields: ['module', 'browser', 'main'],
    conditions: ['edge-light', 'worker', 'browser', 'import', 'default'],
    external: BUILTINS,
    logLevel: 'silent',
  }).catch((error) => {
    throw compileFault(file, error)
  })
  const path = relative(root, file)
  const entry = `${path.slice(0, -extname(path).length)}.mjs`
  const tree = programTree(packing)
  tree.addBytes(entry, Buffer.from(outputFiles[0]?.contents ?? []))
  const entries = tree.finish()
  const archive = await packing.results.addArchive(entries)
  return { runtime: 'node', version: EDGE_NODE, shape: 'edge', entry, archive, fileCount: entries.size }
}
