import { posix } from 'node:path'
import { BuildFailure } from '#core/ports/builder.ts'
import { relativeFolder } from '../source-files.ts'
import { downloading, type PackageTool, ToolchainError, type Toolchains } from '../toolchain/toolchain.ts'
import { shell, type Workspace } from '../workspace.ts'
import { dependencyDigest, onlyInstalls } from './dependency-digest.ts'
import type { Installed, InstallOptions } from './install-options.ts'
import { hasNothingToInstall } from './nothing-to-install.ts'
import {
  calledTools,
  findPackageManager,
  type PackageJson,
  type PackageManager,
  type RequestedTool,
} from './package-manager.ts'
import { workspaceRoot } from './workspace-root.ts'

/** Packages of a repository whose manifests are read. */
const MOST_PACKAGES = 200
const MANIFEST = 'package.json'

const DEFAULTS = {
  npm: 'npm install',
  pnpm: 'pnpm install',
  yarn: 'yarn install',
  bun: 'bun install',
} as const

const PLAIN_NPM = /^\s*npm\s+(?:install|i)\s*$/

const parse = (bytes: Buffer | undefined): PackageJson | undefined => {
  try {
    const content: unknown = bytes && JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''))
    return typeof content === 'object' && content !== null ? (content as PackageJson) : undefined
  } catch {
    return undefined
  }
}

/** The manifests of a repository by the folders they are in: that of the project and those above it first, and not all of many. */
async function readPackages(workspace: Workspace, root: string) {
  const isAround = (path: string) => `${root}/`.startsWith(`${folderOf(path)}/`) || folderOf(path) === ''
  const rank = (path: string) => (isAround(path) ? 0 : path.split('/').length)
  const paths = workspace.task.files
    .map(({ path }) => path)
    .filter((path) => posix.basename(path) === MANIFEST && !/(?:^|\/)node_modules\//.test(path))
    .sort((a, b) => rank(a) - rank(b))
  const packages = new Map<string, PackageJson>()
  for (const path of paths.slice(0, MOST_PACKAGES)) {
    const content = parse(await workspace.read(path))
    if (content) packages.set(folderOf(path), content)
  }
  return { packages, isWhole: paths.length <= MOST_PACKAGES }
}

const folderOf = (path: string): string => posix.dirname(path).replace(/^\.$/, '')

/** The packages that are installed together: all below a lock file that is for several, else just the one. */
function partsOf(
  packages: ReadonlyMap<string, PackageJson>,
  paths: ReadonlySet<string>,
  root: string,
  lockFolder: string,
): ReadonlyMap<string, PackageJson> {
  const several =
    packages.get(lockFolder)?.workspaces !== undefined ||
    paths.has(posix.join(lockFolder, 'pnpm-workspace.yaml'))
  const within = (folder: string) => lockFolder === '' || `${folder}/`.startsWith(`${lockFolder}/`)
  return new Map(
    [...packages].filter(
      ([folder]) => folder === root || folder === lockFolder || (several && within(folder)),
    ),
  )
}

/**
 * Installs what a project's package.json asks for, with the package manager it uses. Where its last build has left
 * just that, nothing is run at all; where it has left something else, that is installed over.
 */
export async function installDependencies(
  workspace: Workspace,
  toolchains: Pick<Toolchains, 'ensureTool'>,
  options: InstallOptions,
): Promise<Installed> {
  const { node, log, installCommand } = options
  const root = relativeFolder(options.root ?? '')
  const { files } = workspace.task
  const paths = new Set(files.map(({ path }) => path))
  const { packages, isWhole } = await readPackages(workspace, root)
  const packageJson = packages.get(root)
  const read = async (path: string) => (await workspace.read(path))?.toString('utf8') ?? ''
  const manager = await findPackageManager({
    ...{ root, paths, packageJson: packageJson ?? {}, nodeVersion: node.version },
    outerPackageJson: packages.get(''),
    read,
  })
  const requested: readonly RequestedTool[] = [
    ...(manager.tool ? [manager.tool] : []),
    ...calledTools(
      [installCommand ?? '', ...(options.commands ?? []), ...scriptsOf(packageJson)],
      manager.name,
      node.version,
    ),
  ]
  const tools = await ensureTools(toolchains, requested, {
    needed: manager.tool,
    run: options.run,
    onDownload: (what) => workspace.note(log, downloading(what)),
  })
  const line = installCommand ?? DEFAULTS[manager.name]
  if (line.trim() === '' || (packageJson === undefined && installCommand == null))
    return { manager: manager.name, tools, how: 'skipped' }

  const above = await workspaceRoot(root, { packages, paths, read })
  const lockFolder = manager.lock === undefined ? (above ?? root) : folderOf(manager.lock)
  const together = partsOf(packages, paths, root, lockFolder)
  // What was not read may ask for more, and has folders that were not kept.
  const digest =
    isWhole && onlyInstalls(line)
      ? dependencyDigest({
          ...{ files, manager, nodeVersion: node.version, root, command: line },
          packages: together,
          machine: `${process.platform}-${process.arch}`,
        })
      : null
  const folders = [...new Set([root, lockFolder, ...together.keys()])].map((folder) =>
    posix.join(folder, 'node_modules'),
  )
  const { restored } = workspace
  const unchanged =
    digest !== null &&
    digest === restored.digests[root] &&
    restored.paths.includes(posix.join(lockFolder, 'node_modules'))
  if (unchanged) {
    await workspace.note(log, 'Dependencies are unchanged since the last build')
    workspace.installed({ root, digest, paths: folders })
    return { manager: manager.name, tools, how: 'unchanged' }
  }
  if (
    PLAIN_NPM.test(line) &&
    restored.paths.length === 0 &&
    hasNothingToInstall({
      ...{ manager, packages: together.values(), paths },
      variables: Object.keys(options.env ?? {}),
    })
  )
    return { manager: manager.name, tools, how: 'skipped' }
  const isApart = installCommand == null && above === undefined && lockFolder !== root && isBerry(manager)
  await workspace.run({
    argv: shell(isApart ? `touch yarn.lock && ${line}` : line),
    // A command that somebody has set runs where all commands do.
    cwd: installCommand == null ? (above ?? root) : root,
    ...{ node, tools, log },
    ...(options.run === undefined ? {} : { run: options.run }),
    // Builds need the dependencies of development, whatever the deployment's environment says.
    env: { ...options.env, NODE_ENV: undefined, ...installEnv(isApart ? undefined : manager.lock) },
  })
  workspace.installed({ root, digest, paths: folders })
  return { manager: manager.name, tools, how: 'installed' }
}

/**
 * It refuses a package below its lock file that is not among the workspaces there, such as the package.json of a folder of
 * functions, unless that has a lock file of its own, which may be empty.
 */
const isBerry = ({ name, tool }: PackageManager): boolean =>
  name === 'yarn' && tool?.version.startsWith('1.') === false

/** With everything locked, what is cached cannot be stale; with nothing locked, there is no lock to insist on. */
const installEnv = (lock: string | undefined): Readonly<Record<string, string>> =>
  lock === undefined ? { YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' } : { npm_config_prefer_offline: 'true' }

const scriptsOf = (packageJson: PackageJson | undefined): readonly string[] =>
  Object.values((packageJson?.scripts ?? {}) as PackageJson).filter((line) => typeof line === 'string')

interface ToolNeeds {
  /** Without this one nothing can be installed. */
  readonly needed: RequestedTool | undefined
  readonly run: string | undefined
  readonly onDownload: (what: string) => Promise<void>
}

async function ensureTools(
  toolchains: Pick<Toolchains, 'ensureTool'>,
  requested: readonly RequestedTool[],
  { needed, run, onDownload }: ToolNeeds,
): Promise<readonly PackageTool[]> {
  const tools: PackageTool[] = []
  for (const request of requested)
    try {
      const { name, version } = request
      tools.push(await toolchains.ensureTool(name, version, () => onDownload(`${name} ${version}`)))
    } catch (error) {
      // One that a script only seems to call can be missing.
      if (request !== needed) continue
      if (error instanceof ToolchainError && error.kind === 'unknown_version')
        throw new BuildFailure('install_failed', `${request.name} ${request.version} is not available`, run)
      throw error
    }
  return tools
}
