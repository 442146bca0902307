import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { ManifestFile } from '#core/deployment/file/manifest.ts'
import type { PackageJson, PackageManager } from './package-manager.ts'

/** Of package.json, what decides which packages are installed. */
const FIELDS = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'dependenciesMeta',
  'bundleDependencies',
  'bundledDependencies',
  'overrides',
  'resolutions',
  'pnpm',
  'workspaces',
  'packageManager',
  'engines',
] as const
/** Files that an installation reads besides. */
export const READ_BY_INSTALLATIONS =
  /(?:^|\/)(?:\.npmrc|\.yarnrc|\.yarnrc\.yml|\.pnpmfile\.cjs|pnpm-workspace\.yaml|bunfig\.toml)$|(?:^|\/)patches\/|(?:^|\/)\.yarn\//
/** Scripts of the project itself that run with an installation and may write anywhere. */
export const OWN_SCRIPTS = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
]
/** Beside a package.json, an installation compiles what it describes. */
export const COMPILED_BY_INSTALLATIONS = /(?:^|\/)binding\.gyp$/

interface DigestParts {
  readonly files: readonly ManifestFile[]
  readonly packages: ReadonlyMap<string, PackageJson>
  readonly manager: PackageManager
  readonly nodeVersion: string
  readonly machine: string
  readonly root: string
  readonly command: string
}

/**
 * Equal where an installation would install the same again; null where that cannot be told: nothing is locked, the
 * project's own scripts or sources take part in it, or packages come from the project's own files.
 */
export function dependencyDigest(parts: DigestParts): string | null {
  const { files, packages, manager, nodeVersion, machine, root, command } = parts
  const lock = files.find(({ path }) => path === manager.lock)
  if (!lock) return null
  const compiled = files.flatMap(({ path }) => (COMPILED_BY_INSTALLATIONS.test(path) ? [path] : []))
  const hash = createHash('sha256')
  const add = (...words: readonly unknown[]) => hash.update(`${JSON.stringify(words)}\n`)
  add(
    manager.name,
    manager.tool?.version ?? null,
    nodeVersion,
    machine,
    root,
    command,
    lock.path,
    lock.sha256,
  )
  for (const [path, content] of [...packages].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const scripts = (content.scripts ?? {}) as PackageJson
    if (OWN_SCRIPTS.some((name) => scripts[name] !== undefined)) return null
    if (compiled.includes(posix.join(path, 'binding.gyp'))) return null
    const fields = FIELDS.map((field) => content[field] ?? null)
    if (/":"(?:file|link|portal):/.test(JSON.stringify(fields))) return null
    add(path, ...fields)
  }
  for (const { path, sha256 } of files) if (READ_BY_INSTALLATIONS.test(path)) add(path, sha256)
  return hash.digest('hex')
}

/** A line that does nothing but install. */
const PLAIN =
  /^(?:npm (?:install|i|ci)|pnpm (?:install|i)|yarn(?: install)?|bun (?:install|i))(?: -{1,2}\w[\w-]*(?:=[\w.-]+)?)*$/

export const onlyInstalls = (line: string): boolean => PLAIN.test(line.trim().replace(/\s+/g, ' '))
