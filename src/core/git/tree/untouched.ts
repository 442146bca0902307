import { posix } from 'node:path'
import { namedBy, PNPM_WORKSPACE, workspaceBudget, workspacePatterns } from '#contract/build/workspace.ts'
import type { BuildSettings } from '../../project/project.ts'

interface Repository {
  readonly paths: readonly string[]
  /** Undefined where there is no such file, or a very large one. */
  readonly text: (path: string) => Promise<string | undefined>
}

type Manifest = Readonly<Record<string, unknown>>

const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'] as const

/**
 * Whether a change leaves a project alone that is a folder of its repository. What lies at the top (lock files, the
 * settings of tools) is everybody's. Of the packages of a workspace, those count that the project depends on, be it
 * through others. Where there is no workspace, builds may read any file of the repository unless the project says that
 * they do not.
 */
export async function isUntouched(
  changed: readonly string[],
  { rootDirectory, sourceFilesOutsideRootDirectory }: BuildSettings,
  repository: Repository,
): Promise<boolean> {
  const root = posix.normalize(rootDirectory ?? '').replace(/^(?:\.?\/)+|\/+$|^\.$/g, '')
  if (root === '') return false
  const isIn = (folder: string) => (path: string) => path.startsWith(`${folder}/`)
  if (changed.some(isIn(root))) return false
  if (!sourceFilesOutsideRootDirectory) return true
  if (changed.some((path) => !path.includes('/'))) return false
  const used = await foldersUsedBy(root, repository)
  return used !== undefined && !changed.some((path) => used.some((folder) => isIn(folder)(path)))
}

/** The folders of the packages that one in a workspace uses; undefined where there is no workspace that it is in. */
async function foldersUsedBy(root: string, repository: Repository): Promise<readonly string[] | undefined> {
  const patterns = workspacePatterns({
    pnpm: await repository.text(PNPM_WORKSPACE),
    manifest: parse(await repository.text('package.json')),
  })
  const budget = workspaceBudget()
  const folders = repository.paths
    .filter((path) => path.endsWith('/package.json'))
    .map((path) => posix.dirname(path))
    .filter(namedBy(patterns, budget))
  // Where it would take too long to find all of them, the project may use one that is not among these.
  if (budget.left < 0 || !folders.includes(root)) return undefined
  const manifests = new Map<string, Manifest>()
  const byName = new Map<string, string>()
  for (const folder of folders) {
    const manifest = parse(await repository.text(`${folder}/package.json`))
    manifests.set(folder, manifest)
    if (typeof manifest.name === 'string') byName.set(manifest.name, folder)
  }
  const used = new Set<string>([root])
  for (const folder of used)
    for (const kind of DEPENDENCIES)
      for (const name of Object.keys((manifests.get(folder)?.[kind] as Manifest | undefined) ?? {})) {
        const other = byName.get(name)
        if (other !== undefined) used.add(other)
      }
  return [...used]
}

function parse(text: string | undefined): Manifest {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Manifest) : {}
  } catch {
    return {}
  }
}
