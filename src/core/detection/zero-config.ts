import { BuildFailure } from '../ports/builder.ts'
import type { Route } from '../routing/route.ts'
import { CONFIG_FILES } from './config/configuration.ts'
import type { PackageJson } from './config/package-json.ts'
import { mergedRoutes } from './config/route-rules.ts'
import { API_NOT_FOUND, apiFiles, dynamicRoutes } from './framework/api-functions.ts'
import { type Framework, isNodeServer, isPythonServer, needsCli } from './framework/frameworks.ts'
import { outputFolders } from './framework/output-folders.ts'
import { nodeServerEntries, pythonServerEntries } from './framework/server-entry.ts'
import { EMPTY_STAGE, type Install, type Stage, type Take } from './plan.ts'
import type { Settings } from './settings.ts'
import { joined, type SourceTree } from './source-tree.ts'

export interface ZeroConfig {
  /** Seen from the folder. */
  readonly tree: SourceTree
  readonly pkg: PackageJson | undefined
  readonly settings: Settings
  /** Relative to the source's root. */
  readonly folder: string
  /** Under which it is served. */
  readonly mount: string
}

/** What is done with a folder of which nobody said what it is. */
export async function planFolder(run: string, asked: ZeroConfig): Promise<Stage> {
  const given = isPythonInApi(asked)
    ? { ...asked, settings: { ...asked.settings, framework: undefined } }
    : asked
  const { tree, folder, settings } = given
  const stage = {
    run,
    folder,
    installs: installsOf(given),
    requirements: tree.has('requirements.txt') && needsPython(given) ? folder : undefined,
    caches: cachesOf(settings.framework, folder),
  }
  const { framework } = settings
  if (isPrebuilt(tree)) return { ...EMPTY_STAGE, run, folder, takes: [{ kind: 'build-output', folder }] }
  if (framework !== undefined && needsCli(framework) && tree.has('package.json'))
    return cliStage(stage, given)
  const server = serverOf(given)
  if (server) return { ...stage, build: settings.build, takes: [server] }
  return { ...stage, build: settings.build, takes: await staticTakes(given) }
}

/** What somebody built elsewhere is taken as it is. */
export const isPrebuilt = (tree: SourceTree): boolean =>
  tree.has('.vercel/output/config.json') && !tree.has('package.json')

const cliStage = (stage: Omit<Stage, 'build' | 'takes'>, { settings }: ZeroConfig): Stage => ({
  ...stage,
  build: {
    kind: 'cli',
    framework: settings.framework?.slug ?? 'nextjs',
    buildCommand: settings.buildCommand,
    outputDirectory: settings.outputDirectory,
  },
  // The CLI works at the source's root and leaves its output there.
  takes: [{ kind: 'build-output', folder: '' }],
})

/** Nothing is installed without a package.json, unless somebody says how. An empty command is passed on and skipped. */
const installsOf = ({ tree, folder, settings: { installCommand } }: ZeroConfig): readonly Install[] =>
  tree.has('package.json') || installCommand ? [{ folder, command: installCommand }] : []

const needsPython = ({ tree, settings: { framework } }: ZeroConfig): boolean =>
  (framework !== undefined && isPythonServer(framework)) ||
  apiFiles(tree.paths).some(({ runtime }) => runtime === 'python')

/** Its library is used by functions, and there is no server. */
const isPythonInApi = (given: ZeroConfig): boolean =>
  given.settings.framework !== undefined &&
  isPythonServer(given.settings.framework) &&
  pythonServerEntries(given.tree).length === 0 &&
  apiFiles(given.tree.paths).some(({ runtime }) => runtime === 'python')

/** A server stands for all of its folder, unless somebody says where the files are that are served instead. */
function serverOf({ tree, pkg, settings, folder, mount }: ZeroConfig): Take | undefined {
  const { framework, outputDirectory } = settings
  const publicFolder = tree.hasFolder('public') ? 'public' : undefined
  if (framework !== undefined && isPythonServer(framework)) {
    const entries = pythonServerEntries(tree)
    if (entries.length === 0)
      throw new BuildFailure(
        'missing_entry',
        `There is no Python file with an \`app\` in it, such as app.py, index.py or main.py, for ${framework.name}.`,
      )
    return { kind: 'server', root: folder, runtime: 'python', entries, publicFolder, mount }
  }
  if (outputDirectory !== null || (framework !== undefined && !isNodeServer(framework))) return undefined
  const entries = nodeServerEntries(tree, pkg, framework)
  if (entries.length > 0)
    return { kind: 'server', root: folder, runtime: 'node', entries, publicFolder, mount }
  if (framework === undefined) return undefined
  throw new BuildFailure(
    'missing_entry',
    `There is no file that starts the server, such as server.js, app.js, index.js or one of them in src, for ${framework.name}.`,
  )
}

/** Files, from a build or as they are, beside the functions in `api`. */
async function staticTakes({ tree, settings, folder, mount }: ZeroConfig): Promise<readonly Take[]> {
  const { framework, build, outputDirectory } = settings
  const functions = framework?.ignoreRuntimes?.includes('@vercel/node') ? [] : apiFiles(tree.paths, mount)
  const dynamic = dynamicRoutes(functions)
  const inApi: readonly Take[] =
    functions.length === 0
      ? []
      : [
          {
            kind: 'functions',
            root: folder,
            functions,
            routes: dynamic.length > 0 ? [FILES_FIRST, ...dynamic] : [],
          },
        ]
  if (build === undefined && framework === undefined) {
    const files = uploadedFiles(
      tree,
      outputDirectory,
      functions.map(({ file }) => file),
    )
    return [
      { kind: 'uploaded', files: files.map((file) => ({ ...file, path: joined(mount, file.path) })) },
      ...inApi,
    ]
  }
  // They are written for a site of its own.
  const usual = mount === '' ? await routesOf(framework) : []
  return [
    ...inApi,
    {
      kind: 'built',
      base: folder,
      folders: outputDirectory === null ? await outputFolders(framework, tree) : [outputDirectory],
      mount,
      // A build may be for the functions alone.
      optional: functions.length > 0 && outputDirectory === null,
      // Before the page that a framework may have for every path.
      routes:
        functions.length === 0 || mount !== ''
          ? usual
          : ((await mergedRoutes([FILES_FIRST, API_NOT_FOUND], [usual])) ?? []),
    },
  ]
}

const FILES_FIRST: Route = { handle: 'filesystem' }

/** Some look for a file of the build first; there is none where they are sent, and so they give their usual ones. */
async function routesOf(framework: Framework | undefined): Promise<readonly Route[]> {
  const routes = framework?.defaultRoutes
  const found = typeof routes === 'function' ? await routes('/dev/null') : routes
  return (found ?? []) as unknown as readonly Route[]
}

/** Never served, whatever else is. */
const PRIVATE =
  /(?:^|\/)(?:node_modules|\.git|\.vercel|\.aloft|\.now)\/|(?:^|\/)(?:\.env[^/]*|\.npmrc|\.gitignore|\.vercelignore|\.nowignore|\.DS_Store)$/

/** The folder that is said, or `public`, or everything that is not source. */
function uploadedFiles(tree: SourceTree, outputDirectory: string | null, functions: readonly string[]) {
  const folder = outputDirectory ?? (tree.hasFolder('public') ? 'public' : '')
  if (!tree.hasFolder(folder))
    throw new BuildFailure('missing_output', `There is no output directory ${JSON.stringify(folder)}.`)
  const sources = new Set<string>([...functions, ...(folder === '' ? ['package.json', ...CONFIG_FILES] : [])])
  return tree.within(folder).paths.flatMap((path) => {
    const whole = joined(folder, path)
    const file = tree.file(whole)
    const isSource = sources.has(whole) || (folder === '' && whole.startsWith('api/') && functions.length > 0)
    return file === undefined || isSource || PRIVATE.test(whole) ? [] : [{ ...file, path }]
  })
}

/** `{.cache,public}/**` are the folders `.cache` and `public`. */
function cachesOf(framework: Framework | undefined, folder: string): readonly string[] {
  const pattern = framework?.cachePattern
  if (pattern === undefined) return []
  const base = pattern.replace(/\/\*\*$/, '')
  const names = /^\{(.+)\}$/.exec(base)?.[1]?.split(',') ?? [base]
  return names.map((name) => joined(folder, name))
}
