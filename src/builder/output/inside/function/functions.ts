import { PackFault } from '../fault.ts'
import type { FunctionSource, FunctionsTask, IndexFunction, IndexProgram } from '../job.ts'
import type { Packed, Packing } from '../packing.ts'
import { locate, show, statOf } from '../place.ts'
import { createCompile } from './compile.ts'
import { packEdgeSource } from './edge-source.ts'
import { addIncluded, gather, layOut } from './node-program.ts'
import { createPythonArchives, type PythonArchive } from './python-program.ts'
import { readSettings, type SourceSettings } from './source-settings.ts'
import { createTrace, type Trace } from './trace.ts'

/** Functions from their sources, each a program of its own. */
export async function packFunctions(packing: Packing, task: FunctionsTask): Promise<Packed> {
  const { place, limits } = packing
  if (task.functions.length > limits.functions)
    throw new PackFault('too_many_functions', `There are more than ${limits.functions} functions`)
  const root = rootOf(packing, task.root)
  const means: Means = {
    root,
    trace: tracesOf(packing),
    python: createPythonArchives(packing, root, task.packages),
  }
  const functions: IndexFunction[] = []
  const programs: IndexProgram[] = []
  for (const source of task.functions) {
    const file = locate(place, root, source.file)
    if (file === undefined || !statOf(file)?.isFile())
      throw new PackFault('missing_function', `There is no file ${show(source.file)}`)
    const pack = source.runtime === 'python' ? packPython : packNode
    const program = programs.push(await pack(packing, means, source, file)) - 1
    functions.push(...source.paths.map((path) => ({ path, program })))
  }
  return { files: [], functions, programs }
}

export function rootOf({ place }: Packing, folder: string): string {
  const root = locate(place, place.workspace, folder)
  if (root !== undefined && statOf(root)?.isDirectory()) return root
  throw new PackFault('missing_output', `There is no folder ${show(folder)}`)
}

/** What all functions of a task are packed with. */
interface Means {
  readonly root: string
  readonly trace: (version: string) => Trace
  readonly python: PythonArchive
}

/** Each version of Node.js has a trace of its own, which remembers the files that it has read. */
export function tracesOf({ place }: Packing): (version: string) => Trace {
  const traces = new Map<string, Trace>()
  return (version) => {
    const trace = traces.get(version) ?? createTrace(place, createCompile(place, version))
    traces.set(version, trace)
    return trace
  }
}

async function packNode(
  packing: Packing,
  means: Means,
  source: FunctionSource,
  file: string,
): Promise<IndexProgram> {
  const settings = await readSettings(file)
  const bounds = boundsOf(source, settings)
  if (settings.isEdge) return { ...(await packEdgeSource(packing, means.root, file)), ...bounds }
  const gathered = gather(packing.place, await means.trace(source.version)([file], means.root), file)
  addIncluded(packing, gathered, means.root, source)
  const { tree, entry } = layOut(packing, gathered, means.root)
  const entries = tree.finish()
  return {
    ...{ runtime: source.runtime, version: source.version, shape: 'handler', entry },
    archive: await packing.results.addArchive(entries),
    fileCount: entries.size,
    ...bounds,
  }
}

async function packPython(_packing: Packing, means: Means, source: FunctionSource): Promise<IndexProgram> {
  return {
    ...{ runtime: 'python', version: source.version, shape: 'handler', entry: source.file },
    ...(await means.python(source)),
    ...boundsOf(source, {}),
  }
}

/** What is set in the source takes precedence over what is set for the project. */
const boundsOf = (
  { memoryMb, maxDuration }: FunctionSource,
  settings: SourceSettings,
): Pick<IndexProgram, 'memoryMb' | 'maxDuration' | 'env'> => ({
  memoryMb: settings.memoryMb ?? memoryMb,
  maxDuration: settings.maxDuration ?? maxDuration,
  env: {},
})
