import { PackFault } from './fault.ts'
import { rootOf, tracesOf } from './function/functions.ts'
import { gather, layOut } from './function/node-program.ts'
import { pythonTree } from './function/python-program.ts'
import type { AppTask, IndexProgram } from './job.ts'
import { areDependencies, isJunk, type Packed, type Packing, programTree } from './packing.ts'
import { locate, show, statOf } from './place.ts'
import type { Tree } from './tree.ts'

/** A whole application as one program. */
export async function packApp(packing: Packing, task: AppTask): Promise<Packed> {
  const root = rootOf(packing, task.root)
  const { start, runtime, version, memoryMb, maxDuration, env } = task
  const { tree, ...how } =
    'command' in start
      ? {
          tree: wholeFolder(packing, root, runtime),
          shape: 'command' as const,
          entry: '',
          command: start.command,
        }
      : await withEntry(packing, root, task, start.entries)
  const entries = tree.finish()
  const archive = await packing.results.addArchive(entries)
  const program: IndexProgram = {
    ...how,
    ...{ runtime, version, memoryMb, maxDuration, env, archive, fileCount: entries.size },
  }
  return { files: [], functions: task.paths.map((path) => ({ path, program: 0 })), programs: [program] }
}

/** Dependencies included: nobody knows what a command will need. */
function wholeFolder(packing: Packing, root: string, runtime: AppTask['runtime']): Tree {
  if (runtime === 'python') return pythonTree(packing, root)
  const tree = programTree(packing, { outsideLinks: 'leave-out' })
  tree.addFolder('', root, (path, name) => isJunk(name) || isCache(path))
  return tree
}

const isCache = (path: string): boolean => path === 'node_modules/.cache'

/** All of the project's own files, and of its dependencies those that its code is seen to need. */
async function withEntry(packing: Packing, root: string, task: AppTask, entries: readonly string[]) {
  const found = entries
    .map((entry) => ({ entry, file: locate(packing.place, root, entry) }))
    .find(({ file }) => file !== undefined && statOf(file)?.isFile())
  if (found?.file === undefined)
    throw new PackFault('missing_function', `None of these files exists: ${entries.map(show).join(', ')}`)
  const { entry, file } = found
  if (task.runtime === 'python')
    return { tree: wholeFolder(packing, root, 'python'), shape: 'handler' as const, entry }
  const traced = await tracesOf(packing)(task.version)([file], root)
  const gathered = gather(packing.place, traced, file)
  for (const path of ownFiles(packing, root)) if (!gathered.files.has(path)) gathered.files.set(path, path)
  return { ...layOut(packing, gathered, root), shape: 'handler' as const }
}

function ownFiles(packing: Packing, root: string): string[] {
  const own = programTree(packing, { outsideLinks: 'leave-out' })
  own.addFolder('', root, (_path, name, folder) => areDependencies(name, folder, root) || isJunk(name))
  return own.paths().map((path) => `${root}/${path}`)
}
