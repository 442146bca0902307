import { COMPILED_BY_INSTALLATIONS, OWN_SCRIPTS, READ_BY_INSTALLATIONS } from './dependency-digest.ts'
import type { PackageJson, PackageManager } from './package-manager.ts'

/** Of package.json, what makes npm install something, or look elsewhere, or refuse. Of `engines` it only warns. */
const FIELDS = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'bundleDependencies',
  'bundledDependencies',
  'workspaces',
  'os',
  'cpu',
  'libc',
  'devEngines',
] as const
/** Of files, what npm reads, what it compiles, and what it finds names and versions of packages in and would tidy. */
const OF_NPM = [READ_BY_INSTALLATIONS, COMPILED_BY_INSTALLATIONS, /(?:^|\/)node_modules\//]
const NPM_SETTING = /^npm_config_/i

interface Installation {
  readonly manager: PackageManager
  readonly packages: Iterable<PackageJson>
  readonly paths: Iterable<string>
  /** The names of the variables that the installation would have. */
  readonly variables: readonly string[]
}

/**
 * Whether `npm install` would have nothing to do: a package.json that names no packages, as a folder of functions has only to say
 * that its files are modules. Other package managers leave files behind even then.
 */
export function hasNothingToInstall({ manager, packages, paths, variables }: Installation): boolean {
  if (manager.name !== 'npm' || manager.tool || manager.lock !== undefined) return false
  if (variables.some((name) => NPM_SETTING.test(name))) return false
  for (const path of paths) if (OF_NPM.some((expression) => expression.test(path))) return false
  for (const content of packages) {
    if (FIELDS.some((field) => !isEmpty(content[field]))) return false
    const scripts = (content.scripts ?? {}) as PackageJson
    if (OWN_SCRIPTS.some((name) => scripts[name] !== undefined)) return false
  }
  return true
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
