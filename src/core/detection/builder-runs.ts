import { type GlobBudget, GlobError } from '#contract/glob/glob.ts'
import { BuildFailure, noFileMatches } from '../build/build-failure.ts'
import { builderOf, matchedPaths } from '../deployment/builds.ts'
import type { BuildSpec } from '../deployment/deployment.ts'
import { isRecord } from '../is-record.ts'
import type { FunctionSetting } from './config/function-settings.ts'
import { invalidConfig } from './config/json.ts'
import { buildScriptOf, platformScriptOf, readPackageJson } from './config/package-json.ts'
import { dynamicRoutes, functionFile } from './framework/api-functions.ts'
import { COMMON_FOLDERS } from './framework/output-folders.ts'
import { pythonInstalls } from './framework/python-server.ts'
import { installsFor, packageFolders } from './function-installs.ts'
import { imageStage } from './image.ts'
import { type BuildStep, EMPTY_STAGE, type Stage } from './plan.ts'
import { baseOf, folderOf, joined, readFolder, type SourceTree } from './source-tree.ts'

export interface SpecRun {
  readonly run: string
  readonly spec: BuildSpec
}

interface RunContext {
  /** Of the root directory. */
  readonly tree: SourceTree
  readonly root: string
  /** Whether images can be built and run here. */
  readonly docker: boolean
  /** What the matching of all patterns together may cost. */
  readonly budget: GlobBudget
  /** Finds out what a folder below the root directory is. */
  readonly planFolder: (run: string, folder: string, framework?: string) => Promise<readonly Stage[]>
}

/** What the `use` of a build asks for. */
export async function planSpec({ run, spec }: SpecRun, context: RunContext): Promise<readonly Stage[]> {
  const { tree, root } = context
  const matched = await matchedPaths(spec.src, tree.paths, root, context.budget).catch((error) => {
    if (!(error instanceof GlobError)) throw error
    throw invalidConfig(`\`src\` ${JSON.stringify(spec.src.slice(0, 80))} cannot be used: ${error.message}.`)
  })
  if (matched.length === 0) throw noFileMatches(spec.src, run)
  switch (builderOf(spec.use)) {
    case 'static':
      return [staticStage(run, context, matched)]
    case 'static-build':
      return Promise.all(matched.map((entry) => staticBuild(run, context, entry, spec.config)))
    case 'next':
      return inEach(folders(matched), (folder) => context.planFolder(run, folder, 'nextjs'))
    case 'node': {
      const packages = matched.filter((path) => baseOf(path) === 'package.json')
      const stages = await inEach(folders(packages), (folder) => context.planFolder(run, folder))
      const files = matched.filter((path) => baseOf(path) !== 'package.json')
      // A pattern such as `**` over a package: the package is what is meant.
      if (packages.length > 0 && (files.length === 0 || spec.src.includes('*'))) return stages
      return [...stages, ...(await functionStage(run, context, files, 'node'))]
    }
    case 'python':
      return functionStage(run, context, matched, 'python')
    case 'docker':
      return matched.map((dockerfile) =>
        imageStage(run, { folder: root, dockerfile, docker: context.docker }),
      )
  }
}

const folders = (paths: readonly string[]): readonly string[] => [...new Set(paths.map(folderOf))]

const inEach = async (
  all: readonly string[],
  plan: (folder: string) => Promise<readonly Stage[]>,
): Promise<readonly Stage[]> => (await Promise.all(all.map(plan))).flat()

function staticStage(run: string, { root }: RunContext, matched: readonly string[]): Stage {
  const files = matched.map((path) => ({ path, source: joined(root, path) }))
  return { ...EMPTY_STAGE, run, folder: root, takes: [{ kind: 'uploaded', files }] }
}

/** A package.json whose script, or a shell script that itself, leaves files in a folder. */
async function staticBuild(
  run: string,
  { tree, root }: RunContext,
  entry: string,
  config: BuildSpec['config'],
): Promise<Stage> {
  const folder = folderOf(entry)
  const base = joined(root, folder)
  const isPackage = baseOf(entry) === 'package.json'
  return {
    ...EMPTY_STAGE,
    run,
    folder: base,
    installs: isPackage || tree.has(joined(folder, 'package.json')) ? [{ folder: base, command: null }] : [],
    build: isPackage
      ? await scriptOf(run, tree, entry)
      : { kind: 'program', argv: ['/bin/sh', baseOf(entry)] },
    takes: [
      {
        kind: 'built',
        base,
        folders: distFolders(config, run) ?? ['dist', ...COMMON_FOLDERS.filter((name) => name !== 'dist')],
        mount: folder,
        optional: false,
        routes: [],
      },
    ],
  }
}

async function scriptOf(run: string, tree: SourceTree, entry: string): Promise<BuildStep> {
  const script = buildScriptOf(await readPackageJson(tree, entry))
  if (script !== undefined) return { kind: 'script', script }
  throw new BuildFailure(
    'missing_script',
    `${entry} has no script \`build\`, \`vercel-build\` or \`now-build\`.`,
    run,
  )
}

/** Where `config.distDir`, or `outputDirectory` in newer files, says that the result is. */
function distFolders(config: BuildSpec['config'], run: string): readonly string[] | undefined {
  const text = config.distDir ?? config.outputDirectory
  if (text === undefined || text === null) return undefined
  const folder = typeof text === 'string' ? readFolder(text) : undefined
  if (folder === undefined)
    throw new BuildFailure(
      'invalid_config',
      '`config.distDir` should be a folder inside the folder of the entry.',
      run,
    )
  return [folder]
}

/** Every file a function at its own path, with and without its extension. */
async function functionStage(
  run: string,
  { tree, root }: RunContext,
  matched: readonly string[],
  runtime: 'node' | 'python',
): Promise<readonly Stage[]> {
  const functions = matched.flatMap((path) => {
    const found = functionFile(path)
    return found?.runtime === runtime ? [found] : []
  })
  if (functions.length === 0)
    throw new BuildFailure(
      'no_functions',
      `None of the matching files is written in ${runtime === 'node' ? 'JavaScript or TypeScript' : 'Python'}.`,
      run,
    )
  const dynamic = dynamicRoutes(functions)
  const files = functions.map(({ file }) => file)
  return [
    ...(runtime === 'node' ? await scriptStages(run, tree, root, files) : []),
    {
      ...EMPTY_STAGE,
      run,
      folder: root,
      installs: runtime === 'node' ? installsFor(tree, root, files) : [],
      python: runtime === 'python' ? pythonInstalls(tree, root, files) : [],
      takes: [
        {
          kind: 'functions',
          root,
          functions,
          routes: dynamic.length > 0 ? [{ handle: 'filesystem' }, ...dynamic] : [],
        },
      ],
    },
  ]
}

/** What packages do before their functions are taken, such as to generate code that these import. */
async function scriptStages(
  run: string,
  tree: SourceTree,
  root: string,
  files: readonly string[],
): Promise<readonly Stage[]> {
  const stages: Stage[] = []
  for (const inside of packageFolders(tree, files)) {
    const script = platformScriptOf(await readPackageJson(tree, joined(inside, 'package.json')))
    const folder = joined(root, inside)
    const installs = [{ folder, command: null }]
    if (script !== undefined)
      stages.push({ ...EMPTY_STAGE, run, folder, installs, build: { kind: 'script', script } })
  }
  return stages
}

/** What the `config` of a build says of its functions, in the words of a configuration file. */
export function settingOf({ src, config }: BuildSpec): readonly FunctionSetting[] {
  const { includeFiles, excludeFiles, memory, maxDuration } = config
  const globs = (value: unknown): string[] =>
    (Array.isArray(value) ? value : [value]).filter(
      (item) => typeof item === 'string' && !item.includes('..'),
    )
  const whole = (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value > 0
  if (!isRecord(config)) return []
  return [
    {
      glob: src.replace(/^\.?\//, ''),
      ...(whole(memory) ? { memoryMb: Math.min(Math.max(memory, 128), 10240) } : {}),
      ...(whole(maxDuration) ? { maxDuration: Math.min(maxDuration, 900) } : {}),
      includeFiles: globs(includeFiles),
      excludeFiles: globs(excludeFiles),
    },
  ]
}
