import { isRecord } from '../../is-record.ts'
import type { SourceTree } from '../source-tree.ts'
import { invalidConfig, parseJson, stringMap } from './json.ts'

/** What builds look at in a package.json. */
export interface PackageJson {
  readonly name: string | undefined
  readonly main: string | undefined
  readonly type: string | undefined
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly engines: Readonly<Record<string, string>>
  /** Whether it is the root of several packages that are installed together. */
  readonly workspaces: boolean
}

export async function readPackageJson(
  tree: SourceTree,
  path = 'package.json',
): Promise<PackageJson | undefined> {
  const text = await tree.text(path)
  if (text === undefined) return undefined
  const json = parseJson(text, path)
  if (!isRecord(json)) throw invalidConfig(`${path} should contain an object.`)
  const name = (key: string): string | undefined => {
    const value = json[key]
    return typeof value === 'string' ? value : undefined
  }
  return {
    name: name('name'),
    main: name('main'),
    type: name('type'),
    scripts: stringMap(json.scripts),
    dependencies: stringMap(json.dependencies),
    devDependencies: stringMap(json.devDependencies),
    engines: stringMap(json.engines),
    workspaces: Array.isArray(json.workspaces) || isRecord(json.workspaces),
  }
}

export const dependsOn = (pkg: PackageJson | undefined, name: string): boolean =>
  pkg !== undefined && (Object.hasOwn(pkg.dependencies, name) || Object.hasOwn(pkg.devDependencies, name))

/** In the order in which they are looked for. */
const PLATFORM_SCRIPTS = ['vercel-build', 'now-build'] as const

const firstScript = (pkg: PackageJson | undefined, names: readonly string[]): string | undefined =>
  names.find((name) => (pkg?.scripts[name] ?? '').trim() !== '')

/** Of those that are written for the platform alone. */
export const platformScriptOf = (pkg: PackageJson | undefined): string | undefined =>
  firstScript(pkg, PLATFORM_SCRIPTS)

export const buildScriptOf = (pkg: PackageJson | undefined): string | undefined =>
  firstScript(pkg, [...PLATFORM_SCRIPTS, 'build'])
