import { builderOf } from '../deployment/builds.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { BuildFailure, type BuildTask } from '../ports/builder.ts'
import { NODE_VERSIONS, type NodeVersion } from '../project/project.ts'
import { buildEnv } from './build-env.ts'
import { dockerUnavailable, planSpec, type SpecRun, settingOf } from './builder-runs.ts'
import { type Configuration, plainVariables, readConfiguration } from './config/configuration.ts'
import { type PackageJson, readPackageJson } from './config/package-json.ts'
import { requestedRoutes } from './config/route-rules.ts'
import type { Framework } from './framework/frameworks.ts'
import { newestIn } from './framework/node-version.ts'
import { planProgram } from './npm-program.ts'
import type { Plan, Stage } from './plan.ts'
import { type Settings, settle } from './settings.ts'
import { folderOf, joined, type ReadContent, readFolder, type SourceTree, sourceTree } from './source-tree.ts'
import { isPrebuilt, planFolder } from './zero-config.ts'

/** Decides what is done. Rejects with a `BuildFailure` where the deployment's files contradict themselves. */
export async function makePlan(task: BuildTask, read: ReadContent): Promise<Plan> {
  const { deployment, project } = task
  const root = readRoot(project.build.rootDirectory)
  const tree = sourceTree(task.files, read).within(root)
  if (tree.paths.length === 0)
    throw new BuildFailure(
      'invalid_root_directory',
      `There are no files in the root directory ${JSON.stringify(root)}.`,
    )
  return new Planning(task, root, tree, await readConfiguration(tree)).plan(deployment)
}

/** The work of one call. */
class Planning {
  readonly #task: BuildTask
  readonly #root: string
  readonly #tree: SourceTree
  readonly #file: Configuration
  readonly #notes: string[] = []
  #framework: Framework | undefined

  constructor(task: BuildTask, root: string, tree: SourceTree, file: Configuration) {
    this.#task = task
    this.#root = root
    this.#tree = tree
    this.#file = file
  }

  async plan(deployment: Deployment): Promise<Plan> {
    const { project } = this.#task
    const specs = this.#specs(deployment)
    const legacy = specs.length === 0 && isLegacy(deployment)
    const stages = legacy ? [await this.#legacyStage(deployment)] : await this.#stages(deployment, specs)
    const pkg = await this.#nearestPackage(stages[0]?.folder)
    const file = this.#file
    const ignore =
      file.ignoreCommand === undefined ? project.build.commandForIgnoringBuildStep : file.ignoreCommand
    return {
      root: this.#root,
      nodeVersion: this.#nodeVersion(pkg, legacy),
      ignoreCommand: ignore?.trim() ? ignore : null,
      routes: deployment.routes === null ? file.routes : await requestedRoutes(deployment.routes),
      cleanUrls: file.cleanUrls,
      functions: [...specs.flatMap(({ spec }) => settingOf(spec)), ...file.functions],
      env: buildEnv(this.#task, {
        configured: plainVariables(file.buildEnv, deployment.buildEnvKeys),
        prefix: this.#framework?.envPrefix,
      }),
      programEnv: plainVariables(file.env, deployment.envKeys),
      hidden: this.#hidden(),
      notes: this.#notes,
      stages,
    }
  }

  /** What the request asks for; where that is nothing, what the configuration file does, all as one build. */
  #specs({ builds, buildRuns }: Deployment): readonly SpecRun[] {
    const [first] = buildRuns
    if (builds.length > 0)
      return buildRuns.map(({ id, use, path, config }) => ({ run: id, spec: { src: path, use, config } }))
    return first === undefined ? [] : this.#file.builds.map((spec) => ({ run: first.id, spec }))
  }

  async #stages({ buildRuns }: Deployment, specs: readonly SpecRun[]): Promise<readonly Stage[]> {
    const run = buildRuns[0]?.id ?? ''
    if (specs.length === 0) return [await this.#folderStage(run, '')]
    const planned = await Promise.all(
      specs.map((spec) =>
        planSpec(spec, {
          tree: this.#tree,
          root: this.#root,
          planFolder: (id, folder, framework) => this.#folderStage(id, folder, framework),
        }),
      ),
    )
    return planned.flat()
  }

  /** The project's settings are about its root directory; a folder below it goes by what is in it. */
  async #folderStage(run: string, folder: string, named?: string): Promise<Stage> {
    const tree = this.#tree.within(folder)
    const pkg = await readPackageJson(tree)
    const settings = await this.#settings(tree, pkg, folder, named)
    if (settings.framework && !isPrebuilt(tree)) {
      this.#framework ??= settings.framework
      this.#notes.push(`Detected ${settings.framework.name}`)
    }
    return planFolder(run, { tree, pkg, settings, folder: joined(this.#root, folder), mount: folder })
  }

  #settings(
    tree: SourceTree,
    pkg: PackageJson | undefined,
    folder: string,
    named: string | undefined,
  ): Promise<Settings> {
    const { build } = this.#task.project
    const own = folder === '' ? build : { ...build, ...NOTHING_SET }
    const file = folder === '' ? this.#file : { ...this.#file, ...NOTHING_SAID }
    return settle(tree, pkg, own, named === undefined ? file : { ...file, framework: named })
  }

  async #legacyStage({ type, buildRuns }: Deployment): Promise<Stage> {
    const run = buildRuns[0]?.id ?? ''
    if (type === 'DOCKER') throw dockerUnavailable(run)
    return planProgram(run, this.#root, this.#tree)
  }

  /** That of the first folder that is built; a function may be in one without a package.json of its own. */
  #nearestPackage(folder = this.#root): Promise<PackageJson | undefined> {
    const inside = folder === this.#root ? '' : folder.slice(this.#root === '' ? 0 : this.#root.length + 1)
    for (let at = inside; at !== ''; at = folderOf(at))
      if (this.#tree.has(`${at}/package.json`)) return readPackageJson(this.#tree, `${at}/package.json`)
    return readPackageJson(this.#tree)
  }

  #nodeVersion(pkg: PackageJson | undefined, legacy: boolean): NodeVersion {
    const { deployment, project } = this.#task
    const engine = pkg?.engines.node
    const wanted = engine === undefined ? undefined : newestIn(engine)
    if (wanted !== undefined) return wanted
    if (engine !== undefined && !legacy)
      throw new BuildFailure(
        'invalid_node_version',
        `package.json asks for Node ${JSON.stringify(engine.slice(0, 80))}; there are ${NODE_VERSIONS.join(', ')}.`,
      )
    return (deployment.nodeVersion && newestIn(deployment.nodeVersion)) || project.build.nodeVersion
  }

  /** What would be taken for the result of this build, and what is none of its business. */
  #hidden(): (path: string) => boolean {
    const stale = isPrebuilt(this.#tree) ? undefined : `${joined(this.#root, '.vercel/output')}/`
    const inside =
      this.#root === '' || this.#task.project.build.sourceFilesOutsideRootDirectory ? '' : `${this.#root}/`
    return (path) => (stale !== undefined && path.startsWith(stale)) || !path.startsWith(inside)
  }
}

const NOTHING_SET = {
  framework: null,
  installCommand: null,
  buildCommand: null,
  outputDirectory: null,
} as const
const NOTHING_SAID = {
  framework: undefined,
  installCommand: undefined,
  buildCommand: undefined,
  outputDirectory: undefined,
} as const

function readRoot(text: string | null): string {
  const folder = text === null ? '' : readFolder(text)
  if (folder !== undefined) return folder
  throw new BuildFailure('invalid_root_directory', 'The root directory should be a folder of the deployment.')
}

/** An older client said what it is; then its only run is one for files as they are. */
const isLegacy = ({ type, builds, buildRuns }: Deployment): boolean =>
  type !== 'STATIC' && builds.length === 0 && buildRuns.every(({ use }) => builderOf(use) === 'static')
