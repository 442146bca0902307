import { posix } from 'node:path'
import {
  BUN,
  majorOf,
  NPM_OF_LATER_LOCKS,
  npmFor,
  PNPM,
  YARN_BERRY,
  YARN_CLASSIC,
} from '../toolchain/pinned-versions.ts'
import type { PackageToolName } from '../toolchain/toolchain.ts'
import type { PackageManagerName } from './install-options.ts'

/** The fields of a package.json that matter here, whatever else it holds. */
export type PackageJson = Readonly<Record<string, unknown>>

export interface RequestedTool {
  readonly name: PackageToolName
  readonly version: string
}

export interface PackageManager {
  readonly name: PackageManagerName
  /** Where it comes from; undefined stands for the npm that Node brings. */
  readonly tool: RequestedTool | undefined
  /** The lock file's path below the source's root. */
  readonly lock: string | undefined
}

const LOCKS: readonly (readonly [file: string, manager: PackageManagerName])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
]
/** Where it says of which version it is. */
const LOCK_BEGINNING = 4096

const FIELD = /^(npm|pnpm|yarn|bun)@(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)(?:\+\S*)?$/

/** From a folder up to the source's root. */
function upwards(root: string): readonly string[] {
  const folders = [root]
  for (let at = root; at !== ''; ) {
    at = posix.dirname(at)
    if (at === '.') at = ''
    folders.push(at)
  }
  return folders
}

interface Findings {
  /** Below the source's root, where commands run; empty for the root itself. */
  readonly root: string
  readonly paths: ReadonlySet<string>
  readonly packageJson: PackageJson
  /** That of the source's root, where another. */
  readonly outerPackageJson?: PackageJson | undefined
  readonly nodeVersion: string
  readonly read: (path: string) => Promise<string>
}

/** Which package manager a project uses: the one its package.json names, else the one whose lock file it has. */
export async function findPackageManager(findings: Findings): Promise<PackageManager> {
  const { root, paths, packageJson, outerPackageJson, nodeVersion, read } = findings
  const named = FIELD.exec(String(packageJson.packageManager ?? outerPackageJson?.packageManager ?? ''))
  const [lock, byLock] = findLock(root, paths, named?.[1] as PackageManagerName | undefined)
  if (named) {
    const [, name, version] = named as unknown as [string, PackageManagerName, string]
    return { name, tool: { name, version }, lock }
  }
  const name = byLock ?? 'npm'
  const text = lock === undefined ? '' : (await read(lock)).slice(0, LOCK_BEGINNING)
  return { name, tool: toolFor(name, text, nodeVersion, await pnpmSettings(findings)), lock }
}

function findLock(
  root: string,
  paths: ReadonlySet<string>,
  only: PackageManagerName | undefined,
): readonly [string, PackageManagerName] | readonly [] {
  for (const folder of upwards(root))
    for (const [file, manager] of LOCKS) {
      const path = posix.join(folder, file)
      if (paths.has(path) && (only === undefined || only === manager)) return [path, manager]
    }
  return []
}

/** Whether a project has settings that only pnpm 10 reads. */
async function pnpmSettings({ root, paths, packageJson, read }: Findings): Promise<boolean> {
  const { onlyBuiltDependencies } = (packageJson.pnpm ?? {}) as PackageJson
  if (onlyBuiltDependencies !== undefined) return true
  const path = upwards(root)
    .map((folder) => posix.join(folder, 'pnpm-workspace.yaml'))
    .find((candidate) => paths.has(candidate))
  if (path === undefined) return false
  const keys = [...(await read(path)).matchAll(/^([A-Za-z]+):/gm)].map((match) => match[1])
  return !keys.includes('packages') || keys.some((key) => key !== 'packages' && !key?.startsWith('catalog'))
}

function toolFor(
  name: PackageManagerName,
  lock: string,
  nodeVersion: string,
  pnpm10: boolean,
): RequestedTool | undefined {
  const node = majorOf(nodeVersion)
  if (name === 'bun') return { name, version: BUN }
  if (name === 'yarn') return { name, version: yarnFor(lock) }
  if (name === 'pnpm') return { name, version: pnpmFor(lock, node, pnpm10) }
  const later = Number(/"lockfileVersion":\s*(\d+)/.exec(lock)?.[1] ?? 1) >= 2
  return later && node >= 12 && majorOf(npmFor(nodeVersion)) < 7
    ? { name, version: NPM_OF_LATER_LOCKS }
    : undefined
}

function yarnFor(lock: string): string {
  const version = /^__metadata:\s+version:\s*(\d+)/m.exec(lock)?.[1]
  if (version === undefined) return YARN_CLASSIC
  return YARN_BERRY.find(([from]) => Number(version) >= from)?.[1] ?? YARN_CLASSIC
}

/** By the lock file's version, and not newer than Node allows. */
function pnpmFor(lock: string, node: number, pnpm10: boolean): string {
  const version = Number(/^lockfileVersion:\s*['"]?(\d+(?:\.\d+)?)/m.exec(lock)?.[1] ?? Number.NaN)
  const requested =
    version >= 9 || Number.isNaN(version) ? (pnpm10 ? 10 : 9) : version >= 6 ? 8 : version >= 5.4 ? 7 : 6
  for (let major = requested; ; major--) {
    const found = PNPM[major]
    if (found && (found.node <= node || major === 5)) return found.version
  }
}

/** Package managers that a line or a script calls by name. */
const CALLED = /(?:^|[\s;&|(])(pnpm|pnpx|yarn|bunx?)(?=$|[\s;&|)])/g

/** Those besides the project's own that its commands call, in versions that run on its Node. */
export function calledTools(
  texts: readonly string[],
  own: PackageManagerName,
  nodeVersion: string,
): readonly RequestedTool[] {
  const names = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(CALLED)].map((match): PackageManagerName => {
        if (match[1]?.startsWith('pnp')) return 'pnpm'
        return match[1] === 'yarn' ? 'yarn' : 'bun'
      }),
    ),
  )
  names.delete(own)
  return [...names].flatMap((name) => toolFor(name, '', nodeVersion, true) ?? [])
}
