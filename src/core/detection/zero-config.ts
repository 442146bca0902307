import { BuildFailure } from '../build/build-failure.ts'
import type { Route } from '../routing/route.ts'
import { CONFIG_FILES } from './config/configuration.ts'
import type { PackageJson } from './config/package-json.ts'
import { mergedRoutes } from './config/route-rules.ts'
import { nothingToServe } from './files-only.ts'
import { angularServer } from './framework/angular.ts'
import { API_NOT_FOUND, apiFiles, dynamicRoutes, type FunctionFile } from './framework/api-functions.ts'
import { type Framework, isNodeServer, isPythonServer, needsCli } from './framework/frameworks.ts'
import { middlewareFile } from './framework/middleware.ts'
import { nodeServerEntries, runsOnBun, startsProgram } from './framework/node-server.ts'
import { outputFolders } from './framework/output-folders.ts'
import { pythonApps, pythonInstalls, pythonServerEntries } from './framework/python-server.ts'
import { foreignFunction, unknownProgram } from './framework/unknown-program.ts'
import { installsFor } from './function-installs.ts'
import { imageStage } from './image.ts'
import { startCommand } from './npm-program.ts'
import {
  EMPTY_STAGE,
  type Install,
  type PythonInstall,
  type ServedFile,
  type Stage,
  type Take,
} from './plan.ts'
import type { Settings } from './settings.ts'
import { joined, type SourceTree } from './source-tree.ts'

interface ZeroConfig {
  /** Seen from the folder. */
  readonly tree: SourceTree
  readonly pkg: PackageJson | undefined
  readonly settings: Settings
  /** Relative to the source's root. */
  readonly folder: string
  /** Under which it is served. */
  readonly mount: string
  /** Whether images can be built and run here. */
  readonly docker: boolean
}

/** What is done with a folder of which nobody said what it is. */
export async function planFolder(run: string, asked: ZeroConfig): Promise<readonly Stage[]> {
  const stage = await planStage(run, asked)
  const { build } = stage
  if (build?.kind !== 'cli') return [stage]
  const python = functionsOf(asked).filter(({ runtime }) => runtime === 'python')
  if (python.length === 0) return [stage]
  const { tree, folder } = asked
  const files = filesIn(python, 'python')
  return [
    {
      ...{ ...EMPTY_STAGE, run, folder, python: pythonInstalls(tree, folder, files) },
      takes: apiTakes(folder, python),
    },
    { ...stage, build: { ...build, without: files.map((file) => joined(folder, file)) } },
  ]
}

async function planStage(run: string, asked: ZeroConfig): Promise<Stage> {
  const given = isServedOtherwise(asked)
    ? { ...asked, settings: { ...asked.settings, framework: undefined } }
    : asked
  const { tree, folder, settings, pkg, docker } = given
  const { framework, build } = settings
  if (isPrebuilt(tree)) return { ...EMPTY_STAGE, run, folder, takes: [{ kind: 'build-output', folder }] }
  const stage = {
    run,
    folder,
    installs: installsOf(given),
    python: [],
    caches: cachesOf(framework, folder),
  }
  if (framework !== undefined && needsCli(framework) && tree.has('package.json'))
    return cliStage(stage, given)
  const functions = functionsOf(given)
  const server = await serverOf(given, functions)
  if (server) {
    // Other servers answer below `api` themselves.
    const beside = framework?.slug === 'angular' ? apiTakes(folder, functions) : []
    const installs = beside.length > 0 ? withThose(stage.installs, given, functions) : stage.installs
    return { ...stage, installs, python: pythonOf(given, server), build, takes: [...beside, server] }
  }
  const isRun = functions.length > 0 || middlewareFile(tree) !== undefined
  const isOpen = build === undefined && framework === undefined && settings.outputDirectory === null
  const isImage = isOpen && !isRun && tree.has('Dockerfile')
  // Somebody who has everything served as it is, or run as an image, has looked into it.
  const isMeant = isImage || (build === undefined && settings.outputDirectory === '')
  const foreign = isMeant ? undefined : foreignFunction(tree)
  if (foreign) throw foreign
  if (isOpen) {
    if (docker && isImage)
      return imageStage(run, { folder, dockerfile: joined(given.mount, 'Dockerfile'), docker })
    const unknown = unknownProgram({ tree, pkg, isRun })
    if (unknown) throw unknown
  }
  const takes = await staticTakes(given, functions)
  const isAsUploaded = build === undefined && !isRun && takes.every(({ kind }) => kind === 'uploaded')
  if (isAsUploaded && takes.every((take) => take.kind === 'uploaded' && take.files.length === 0))
    throw nothingToServe(run)
  return {
    ...stage,
    // Nobody would read what is installed.
    installs: isAsUploaded ? [] : withThose(stage.installs, given, functions),
    python: pythonInstalls(tree, folder, filesIn(functions, 'python')),
    build,
    takes,
  }
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
    without: [],
  },
  // The CLI works at the source's root and leaves its output there.
  takes: [{ kind: 'build-output', folder: '' }],
})

/** Nothing is installed without a package.json, unless somebody says how. An empty command is passed on and skipped. */
const installsOf = ({ tree, folder, settings: { installCommand } }: ZeroConfig): readonly Install[] =>
  tree.has('package.json') || installCommand ? [{ folder, command: installCommand }] : []

/** Functions may have a package of their own, as in `api/package.json`. */
function withThose(
  installs: readonly Install[],
  { tree, folder }: ZeroConfig,
  functions: readonly FunctionFile[],
): readonly Install[] {
  const own = installsFor(tree, folder, filesIn(functions, 'node'))
  return [...installs, ...own.filter((each) => !installs.some((other) => other.folder === each.folder))]
}

const pythonOf = ({ tree, folder }: ZeroConfig, server: Take): readonly PythonInstall[] =>
  server.kind === 'server' && server.runtime === 'python'
    ? pythonInstalls(tree, folder, server.entries.slice(0, 1))
    : []

const filesIn = (functions: readonly FunctionFile[], language: FunctionFile['runtime']): readonly string[] =>
  functions.flatMap(({ file, runtime }) => (runtime === language ? [file] : []))

/** The functions in `api`, unless they are the framework's own business. */
const functionsOf = ({ tree, settings: { framework }, mount }: ZeroConfig): readonly FunctionFile[] =>
  framework?.ignoreRuntimes?.includes('@vercel/node') ? [] : apiFiles(tree.paths, mount)

/**
 * The library of a server is used, but not for a server: by Python functions, or where somebody says which folder is
 * served.
 */
function isServedOtherwise({ tree, settings: { framework, outputDirectory } }: ZeroConfig): boolean {
  if (framework === undefined) return false
  if (outputDirectory !== null) return isPythonServer(framework) || isNodeServer(framework)
  return (
    isPythonServer(framework) &&
    pythonServerEntries(tree).length === 0 &&
    apiFiles(tree.paths).some(({ runtime }) => runtime === 'python')
  )
}

/** A server stands for all of its folder, unless somebody says where the files are that are served instead. */
async function serverOf(
  { tree, pkg, settings, folder, mount }: ZeroConfig,
  functions: readonly FunctionFile[],
): Promise<Take | undefined> {
  const { framework, outputDirectory, build } = settings
  const publicFolder = tree.hasFolder('public') ? 'public' : undefined
  const server = { kind: 'server', root: folder, publicFolder, mount } as const
  if (outputDirectory !== null) return undefined
  if (framework !== undefined && isPythonServer(framework)) {
    const entries = [...new Set([...(await pythonApps(tree)), ...pythonServerEntries(tree)])]
    if (entries.length > 0) return { ...server, runtime: 'python', entries }
    throw new BuildFailure(
      'missing_entry',
      `There is no Python file with an \`app\` in it, such as app.py, index.py or main.py, for ${framework.name}.`,
    )
  }
  const angular = framework?.slug === 'angular' && build !== undefined ? await angularServer(tree) : undefined
  if (angular) return { ...server, runtime: 'node', ...angular }
  if (framework !== undefined && !isNodeServer(framework)) return undefined
  const entries = await nodeServerEntries(tree, pkg, framework)
  if (entries.length > 0)
    return { ...server, runtime: (await runsOnBun(tree, pkg, entries)) ? 'bun' : 'node', entries }
  if (framework !== undefined)
    throw new BuildFailure(
      'missing_entry',
      `There is no file that starts the server, such as server.js, app.js, index.js or one of them in src, for ${framework.name}.`,
    )
  if (build !== undefined) return undefined
  // Beside functions, a `start` that runs no code is what its author previews the site with, such as `vercel dev`.
  const isProgram = functions.length === 0 || startsProgram(pkg)
  // Whatever else is started has to listen on the port that it is given.
  if (pkg && isProgram && (pkg.scripts.start ?? '').trim() !== '')
    return { kind: 'command', root: folder, command: startCommand(pkg, tree) }
  const apps = pkg === undefined ? await pythonApps(tree) : []
  return apps.length > 0 ? { ...server, runtime: 'python', entries: apps } : undefined
}

function apiTakes(root: string, functions: readonly FunctionFile[]): readonly Take[] {
  if (functions.length === 0) return []
  const dynamic = dynamicRoutes(functions)
  const routes = dynamic.length > 0 ? [FILES_FIRST, ...dynamic] : []
  return [{ kind: 'functions', root, functions, routes }]
}

/** Files, from a build or as they are, beside the functions in `api`. */
async function staticTakes(
  { tree, settings, folder, mount }: ZeroConfig,
  functions: readonly FunctionFile[],
): Promise<readonly Take[]> {
  const { framework, build, outputDirectory } = settings
  const inApi = apiTakes(folder, functions)
  if (build === undefined && framework === undefined) {
    const served = servedFiles(tree, outputDirectory, functions)
    const files =
      mount === '' && folder === ''
        ? served
        : served.map(({ path, source }) => ({ path: joined(mount, path), source: joined(folder, source) }))
    return [{ kind: 'uploaded', files }, ...inApi]
  }
  // They are written for a site of its own.
  const usual = mount === '' ? await routesOf(framework) : []
  return [
    ...inApi,
    {
      kind: 'built',
      base: folder,
      folders:
        outputDirectory === null
          ? await outputFolders(framework, tree, functions.length > 0)
          : [outputDirectory],
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
  /(?:^|\/)(?:\.git|\.vercel|\.aloft|\.now)\/|(?:^|\/)(?:\.env[^/]*|\.npmrc|\.gitignore|\.vercelignore|\.nowignore|\.aloftignore|\.DS_Store)$/

/** What a package needs lies at the top or beside its package.json; bundlers call folders of fonts and pictures so, too. */
const isDependency = (tree: SourceTree, path: string): boolean =>
  path.includes('node_modules/') &&
  [...path.matchAll(/(?:^|\/)node_modules\//g)].some(
    ({ index }) => index === 0 || tree.has(`${path.slice(0, index)}/package.json`),
  )

/** Beside a site: what tools read, and no visitor. */
const TOOLING = new Set<string>([
  ...CONFIG_FILES,
  'package.json',
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'],
  ...['bun.lock', 'bun.lockb', '.nvmrc', '.node-version', 'tsconfig.json', 'jsconfig.json'],
  ...['requirements.txt', 'pyproject.toml', 'Pipfile', 'Pipfile.lock', 'poetry.lock', 'uv.lock'],
])

/** Of paths that are longer nobody has to find out the hash. */
const LONGEST_TOOLING = Math.max(...[...TOOLING].map(({ length }) => length))

/** Code that no browser runs: beside functions it is what they import. */
const NO_PAGE = /\.(?:[cm]?ts|tsx|jsx|py)$/

/** The folder that is said, or `public`, or everything that is not source. */
function servedFiles(
  tree: SourceTree,
  outputDirectory: string | null,
  functions: readonly FunctionFile[],
): readonly ServedFile[] {
  const folder = outputDirectory ?? (isSite(tree, 'public') ? 'public' : '')
  if (!tree.hasFolder(folder))
    throw new BuildFailure(
      'missing_output',
      `There is no output directory ${JSON.stringify(folder)} among the files. Change it in the project or in vercel.json.`,
    )
  const sources = new Set(functions.map(({ file }) => file))
  const middleware = middlewareFile(tree)
  if (middleware !== undefined) sources.add(middleware)
  const isSource = (path: string): boolean =>
    (sources.size > 0 && sources.has(path)) ||
    PRIVATE.test(path) ||
    // Somebody who names the folder has looked into it.
    (outputDirectory === null &&
      folder === '' &&
      ((path.length <= LONGEST_TOOLING && TOOLING.has(path)) ||
        (functions.length > 0 && path.startsWith('api/')) ||
        (sources.size > 0 && NO_PAGE.test(path))))
  const served: ServedFile[] = []
  for (const path of tree.within(folder).paths) {
    const source = joined(folder, path)
    if (!isSource(source) && !isDependency(tree, source)) served.push({ path, source })
  }
  return served
}

/** A folder called `public` is the site; beside a page at the top it has to have one itself. */
const isSite = (tree: SourceTree, folder: string): boolean =>
  tree.hasFolder(folder) && (!tree.has('index.html') || tree.has(`${folder}/index.html`))

/** `{.cache,public}/**` are the folders `.cache` and `public`. */
function cachesOf(framework: Framework | undefined, folder: string): readonly string[] {
  const pattern = framework?.cachePattern
  if (pattern === undefined) return []
  const base = pattern.replace(/\/\*\*$/, '')
  const names = /^\{(.+)\}$/.exec(base)?.[1]?.split(',') ?? [base]
  return names.map((name) => joined(folder, name))
}
