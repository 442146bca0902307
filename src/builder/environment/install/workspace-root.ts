import { posix } from 'node:path'
import { namedBy, PNPM_WORKSPACE, workspacePatterns } from '#contract/build/workspace.ts'
import type { PackageJson } from './package-manager.ts'

interface Repository {
  /** The manifests by the folders they are in. */
  readonly packages: ReadonlyMap<string, PackageJson>
  readonly paths: ReadonlySet<string>
  readonly read: (path: string) => Promise<string>
}

/**
 * The folder from which a package is installed together with those beside it: the nearest above it whose list of
 * workspaces names it. Undefined where it stands alone.
 */
export async function workspaceRoot(folder: string, repository: Repository): Promise<string | undefined> {
  for (let at = above(folder); at !== undefined; at = above(at))
    if (namedBy(await patternsOf(at, repository))(posix.relative(at, folder))) return at
  return undefined
}

const above = (folder: string): string | undefined =>
  folder === '' ? undefined : posix.dirname(folder).replace(/^\.$/, '')

async function patternsOf(at: string, { packages, paths, read }: Repository): Promise<readonly string[]> {
  const file = posix.join(at, PNPM_WORKSPACE)
  const pnpm = paths.has(file) ? await read(file) : undefined
  return workspacePatterns({ pnpm, manifest: packages.get(at) })
}
