import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Collection, collectApp, collectFunctions } from '#builder/output/collect.ts'
import { readSettings } from '#builder/output/inside/function/source-settings.ts'
import { settingFor } from '#core/detection/config/function-settings.ts'
import type { FunctionFile } from '#core/detection/framework/api-functions.ts'
import type { Plan, ServerTake } from '#core/detection/plan.ts'
import { runtimeOfProgram } from '#core/detection/program-runtime.ts'
import { joined } from '#core/detection/source-tree.ts'
import { DEFAULT_MAX_DURATION, DEFAULT_MEMORY_MB, type Output, type Prerender } from '#core/output/output.ts'

/** Source that becomes one program, as a build would make it; compiled when it is first asked for. */
export interface SourceProgram {
  /** Tells it from all others, its settings included. */
  readonly id: string
  /** What people know it by. */
  readonly file: string
  /** Relative to the folder; that of its package. */
  readonly root: string
  readonly paths: readonly string[]
  /** Seconds for one request. */
  readonly maxDuration: number
  readonly prerenders?: ReadonlyMap<string, Prerender>
  readonly pack: (collection: Collection) => Promise<Output>
}

/** A name that the platform takes for that of a program. */
const sourceId = (parts: unknown): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

export async function functionProgram(
  folder: string,
  root: string,
  { file, paths, runtime }: FunctionFile,
  plan: Plan,
): Promise<SourceProgram> {
  const setting = settingFor(file, plan.functions)
  const source = {
    ...{ file, paths, ...runtimeOfProgram(runtime, setting, plan) },
    memoryMb: setting?.memoryMb ?? DEFAULT_MEMORY_MB,
    maxDuration: setting?.maxDuration ?? DEFAULT_MAX_DURATION,
    includeFiles: setting?.includeFiles ?? [],
    excludeFiles: setting?.excludeFiles ?? [],
  }
  return {
    id: sourceId({ root, source }),
    file: joined(root, file),
    root,
    paths,
    maxDuration:
      (runtime === 'node' ? await ownDuration(join(folder, root, file)) : undefined) ?? source.maxDuration,
    pack: (collection) => collectFunctions(collection, { root, functions: [source] }),
  }
}

/** What the source says itself. */
const ownDuration = (file: string): Promise<number | undefined> =>
  readSettings(file).then(
    ({ maxDuration }) => maxDuration,
    () => undefined,
  )

export function serverProgram({ root, runtime, entries, mount }: ServerTake, plan: Plan): SourceProgram {
  const setting = entries.map((entry) => settingFor(entry, plan.functions)).find(Boolean)
  const app = {
    root,
    paths: [joined(mount, 'index')],
    ...runtimeOfProgram(runtime, setting, plan),
    memoryMb: setting?.memoryMb ?? DEFAULT_MEMORY_MB,
    maxDuration: setting?.maxDuration ?? DEFAULT_MAX_DURATION,
    start: { entries },
  }
  return {
    id: sourceId(app),
    file: joined(root, entries[0] ?? ''),
    root,
    paths: app.paths,
    maxDuration: app.maxDuration,
    pack: (collection) => collectApp(collection, app),
  }
}

/** What was built elsewhere has its programs already. */
export const readyPrograms = (output: Output): readonly SourceProgram[] =>
  output.programs.map((program) => {
    const functions = output.functions.filter((answer) => answer.program === program.id)
    const paths = functions.map(({ path }) => path)
    return {
      id: program.id,
      file: paths[0] ?? program.entry,
      root: '',
      paths,
      maxDuration: program.maxDuration,
      prerenders: new Map(functions.flatMap(({ path, prerender }) => (prerender ? [[path, prerender]] : []))),
      pack: async () => ({ ...output, programs: [program] }),
    }
  })
