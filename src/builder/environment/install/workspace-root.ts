import { posix } from 'node:path'
import { isNamed } from '#core/detection/workspace-patterns.ts'
import type { PackageJson } from './package-manager.ts'

interface Repository {
  /** The manifests by the folders they are in. */
  readonly packages: ReadonlyMap<string, PackageJson>
  readonly paths: ReadonlySet<string>
  readonly read: (path: string) => Promise<string>
}

const PNPM_FILE = 'pnpm-workspace.yaml'

/**
 * The folder from which a package is installed together with those beside it: the nearest above it whose list of
 * workspaces names it. Undefined where it stands alone.
 */
export async function workspaceRoot(folder: string, repository: Repository): Promise<string | undefined> {
  for (let at = above(folder); at !== undefined; at = above(at))
    if (isNamed(await patternsOf(at, repository), posix.relative(at, folder))) return at
  return undefined
}

const above = (folder: string): string | undefined =>
  folder === '' ? undefined : posix.dirname(folder).replace(/^\.$/, '')

async function patternsOf(at: string, { packages, paths, read }: Repository): Promise<readonly string[]> {
  const file = posix.join(at, PNPM_FILE)
  if (paths.has(file)) return yamlPackages(await read(file))
  const { workspaces } = packages.get(at) ?? {}
  const list = Array.isArray(workspaces) ? workspaces : (workspaces as PackageJson | undefined)?.packages
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}

/** The list under `packages:`, which pnpm's file has at its top level. */
function yamlPackages(text: string): readonly string[] {
  const found: string[] = []
  let inside = false
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) inside = /^packages\s*:/.test(line)
    const item = inside ? /^\s*-\s*["']?([^"'#]+?)["']?\s*(?:#.*)?$/.exec(line)?.[1] : undefined
    if (item !== undefined) found.push(item)
  }
  return found
}
