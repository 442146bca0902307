import { basename, dirname, extname, relative } from 'node:path'
import { sourceToRegex } from '@vercel/routing-utils'
import { PackFault } from '../fault.ts'
import type { MiddlewareTask } from '../job.ts'
import { type Packed, type Packing, programTree } from '../packing.ts'
import { locate, show, statOf } from '../place.ts'
import { bundleEdge, bundleNode } from './edge-source.ts'
import { EDGE_NODE } from './function-folder.ts'
import { type Matcher, readMiddlewareConfig } from './middleware-config.ts'

/** Where it is among the functions. No file of a site has this name. */
const PATH = '_aloft/middleware'
const ENTRY = 'middleware.mjs'

/** A program that is asked before anything is served, and the rules for which paths. */
export async function packMiddleware(packing: Packing, task: MiddlewareTask): Promise<Packed> {
  const { place, results } = packing
  const file = locate(place, place.workspace, task.file)
  if (file === undefined || !statOf(file)?.isFile())
    throw new PackFault('missing_function', `There is no file ${show(task.file)}`)
  const { isNode, matchers } = await readMiddlewareConfig(file, task.file)
  const source = {
    contents: wrapperOf(basename(file)),
    resolveDir: dirname(file),
    sourcefile: `${relative(place.workspace, file).slice(0, -extname(file).length)}.entry.mjs`,
  }
  const code = await (isNode ? bundleNode(packing, source, task.version) : bundleEdge(packing, source))
  const tree = programTree(packing)
  tree.addBytes(ENTRY, code)
  const entries = tree.finish()
  return {
    routes: routesOf(matchers, task.file),
    files: [],
    functions: [{ path: PATH, program: 0 }],
    programs: [
      {
        ...{ runtime: 'node', version: isNode ? task.version : EDGE_NODE, shape: isNode ? 'web' : 'edge' },
        ...{ entry: ENTRY, archive: await results.addArchive(entries), fileCount: entries.size },
        ...{ memoryMb: task.memoryMb, maxDuration: task.maxDuration, env: {} },
      },
    ],
  }
}

/** What returns nothing lets the request go on. */
const wrapperOf = (name: string): string => `import * as own from ${JSON.stringify(`./${name}`)}
const exported = own.default?.default ?? own.default
const handle = typeof exported === 'function' ? exported : (own.middleware ?? exported?.middleware)
if (typeof handle !== 'function') throw new Error(${JSON.stringify(`${name} has neither a default export nor a \`middleware\` export that is a function`)})
export default async (request, context) =>
  (await handle(request, context)) ?? new Response(null, { headers: { 'x-middleware-next': '1' } })
`

/** With a slash at the end a path is the same page, and guarded as well. */
function routesOf(matchers: readonly Matcher[] | undefined, file: string): readonly object[] {
  if (matchers === undefined) return [rule('^/.*$', [], [])]
  return matchers.map(({ source, has, missing }) => {
    try {
      return rule(sourceToRegex(source).src.replace(/\$$/, '(?:/)?$'), has, missing)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new PackFault(
        'invalid_middleware',
        `${show(file)}: the matcher ${show(source)} is not valid: ${why}`,
      )
    }
  })
}

const rule = (src: string, has: readonly unknown[], missing: readonly unknown[]) => ({
  src,
  ...(has.length > 0 ? { has } : {}),
  ...(missing.length > 0 ? { missing } : {}),
  middlewarePath: `/${PATH}`,
  continue: true,
})
