import Range from 'semver/classes/range.js'
import { isRecord } from '../is-record.ts'
import { looseJson } from './config/json.ts'
import {
  buildScriptOf,
  dependsOn,
  type PackageJson,
  platformScriptOf,
  readPackageJson,
} from './config/package-json.ts'
import { readRange } from './framework/node-version.ts'
import { baseOf, joined, type SourceTree } from './source-tree.ts'

/** Several packages, of which one is deployed. */
export interface Repository {
  /** From its top. */
  readonly tree: SourceTree
  /** Of the package that is deployed. */
  readonly folder: string
}

/** What a shell takes for nothing but a name or a path. */
const PLAIN = /^[\w@.+-]+(?:\/[\w@.+-]+)*$/

/** Before this one, Turborepo looks for the package only from the top of the repository. */
const ONLY_FROM_TOP = new Range('<1.8.0')

/**
 * The line that builds a package after those it needs, where Turborepo or Nx builds the repository. Undefined where the
 * package is built alone, as one is that has a script for the platform.
 */
export async function repositoryBuild(
  { tree, folder }: Repository,
  pkg: PackageJson | undefined,
): Promise<string | undefined> {
  const script = buildScriptOf(pkg)
  if (pkg === undefined || platformScriptOf(pkg) !== undefined || !PLAIN.test(folder)) return undefined
  const top = folder.replace(/[^/]+/g, '..')
  const turbo = looseJson((await tree.text('turbo.json')) ?? (await tree.text('turbo.jsonc')))
  if (isRecord(turbo)) {
    const version = await versionOf('turbo', tree, pkg)
    if (script === undefined || version === undefined || !(has(turbo.tasks) || has(turbo.pipeline)))
      return undefined
    return readRange(version)?.intersects(ONLY_FROM_TOP) === false
      ? 'turbo run build'
      : `cd ${top} && turbo run build --filter={${folder}}...`
  }
  const nx = looseJson(await tree.text('nx.json'))
  if (!isRecord(nx)) return undefined
  const project = looseJson(await tree.text(joined(folder, 'project.json')))
  const own = looseJson(await tree.text(joined(folder, 'package.json')))
  const ofPackage = isRecord(own) ? own.nx : undefined
  // Defaults alone are no target: a script is one, and plugins make some of their own.
  const isMade = script !== undefined || (Array.isArray(nx.plugins) && nx.plugins.length > 0)
  const isTarget =
    (isMade && has(nx.targetDefaults)) || [project, ofPackage].some((it) => isRecord(it) && has(it.targets))
  const name = nameIn(project) ?? nameIn(ofPackage) ?? pkg.name ?? baseOf(folder)
  return isTarget && PLAIN.test(name) ? `cd ${top} && npx nx build ${name}` : undefined
}

const has = (tasks: unknown): boolean => isRecord(tasks) && Boolean(tasks.build)

const nameIn = (config: unknown): string | undefined =>
  isRecord(config) && typeof config.name === 'string' ? config.name : undefined

/** As the top of the repository asks for it, or the package itself. */
async function versionOf(name: string, tree: SourceTree, pkg: PackageJson): Promise<string | undefined> {
  const top = await readPackageJson(tree)
  const found = [top, pkg].find((each) => dependsOn(each, name))
  return found?.devDependencies[name] ?? found?.dependencies[name]
}
