import type { LegacyType } from '#contract/api/deployment.ts'
import { globBudget } from '#contract/glob/glob.ts'
import { BuildFailure } from '../build/build-failure.ts'
import { builderOf } from '../deployment/builds.ts'
import type { Build, BuildSpec } from '../deployment/deployment.ts'
import type { BuildSettings } from '../project/project.ts'
import type { Route } from '../routing/route.ts'
import { planSpec, type SpecRun, settingOf } from './builder-runs.ts'
import {
  type Configuration,
  NO_CONFIGURATION,
  plainVariables,
  readConfiguration,
} from './config/configuration.ts'
import { type PackageJson, readPackageJson } from './config/package-json.ts'
import { requestedRoutes } from './config/route-rules.ts'
import type { Framework } from './framework/frameworks.ts'
import { isMiddleware, middlewareFile } from './framework/middleware.ts'
import { chooseNode } from './framework/node-choice.ts'
import { imageStage } from './image.ts'
import { planProgram } from './npm-program.ts'
import { EMPTY_STAGE, type Plan, type Stage } from './plan.ts'
import type { Repository } from './repository-build.ts'
import { type Settings, settle } from './settings.ts'
import {
  folderOf,
  joined,
  type ReadContent,
  readFolder,
  type SourceFile,
  type SourceFiles,
  type SourceTree,
  sourceTree,
} from './source-tree.ts'
import { isPrebuilt, planFolder } from './zero-config.ts'

/** What a request says of what is to be done with its files. */
interface DetectionRequest {
  readonly builds: readonly BuildSpec[]
  /** One for each of the builds, or the only one where there are none. */
  readonly buildRuns: readonly Pick<Build, 'id' | 'use' | 'path' | 'config'>[]
  readonly routes: readonly Route[] | null
  readonly envKeys: readonly string[]
  readonly buildEnvKeys: readonly string[]
  /** What an older client says that it is. */
  readonly requestedType: LegacyType | null
  readonly nodeVersion: string | null
}

export interface DetectionInput<File extends SourceFile = SourceFile> {
  readonly files: SourceFiles<File>
  readonly read: ReadContent<File>
  /** Those of the project, as they were when the deployment was made. */
  readonly settings: BuildSettings
  readonly request: DetectionRequest
  /** Whether images can be built and run here. */
  readonly docker: boolean
}

/**
 * Whether a deployment's files have to be built, and how: the one place that decides it. It is asked when a deployment is
 * made, again by the job that builds it, and by `aloft dev`; the same files and settings always give the same plan.
 * Rejects with a `BuildFailure` where the files contradict themselves, or are a program that cannot be run.
 */
export async function detect<File extends SourceFile>(input: DetectionInput<File>): Promise<Plan> {
  if (isAsUploaded(input.request))
    return new Detection(input, '', sourceTree(input.files, input.read), NO_CONFIGURATION).plan()
  const whole = sourceTree(input.files, input.read)
  const named = readRoot(input.settings.rootDirectory)
  // What was built elsewhere of a part of a repository is sent from the top of it, without the source of the part.
  const isSentFromTop =
    input.request.builds.length === 0 && isPrebuilt(whole) && !whole.has(joined(named, 'package.json'))
  const root = isSentFromTop ? '' : named
  const tree = whole.within(root)
  if (tree.paths.length === 0)
    throw new BuildFailure(
      'invalid_root_directory',
      `There are no files in the root directory ${JSON.stringify(root)}. Change it in the project's settings.`,
    )
  const file = isStaticOnly(input.request) ? NO_CONFIGURATION : await readConfiguration(tree)
  const isPart = root !== '' && input.settings.sourceFilesOutsideRootDirectory
  const repository = isPart ? { tree: whole, folder: root } : undefined
  return new Detection(input, root, tree, file, repository).plan()
}

/** An older client has said that these are files and nothing else. No content has to be looked at to know that. */
export const isAsUploaded = ({
  requestedType,
  builds,
}: Pick<DetectionRequest, 'requestedType' | 'builds'>): boolean =>
  requestedType === 'STATIC' && builds.length === 0

/** The request says of each of its files that it is served as it is, and so nothing in them is looked at. */
const isStaticOnly = ({ builds }: DetectionRequest): boolean =>
  builds.length > 0 && builds.every(({ use }) => builderOf(use) === 'static')

/** The work of one call. */
class Detection {
  readonly #input: Omit<DetectionInput, 'files' | 'read'>
  readonly #root: string
  readonly #tree: SourceTree
  readonly #file: Configuration
  readonly #repository: Repository | undefined
  readonly #notes: string[] = []
  #framework: Framework | undefined

  constructor(
    input: Omit<DetectionInput, 'files' | 'read'>,
    root: string,
    tree: SourceTree,
    file: Configuration,
    repository?: Repository,
  ) {
    this.#input = input
    this.#root = root
    this.#tree = tree
    this.#file = file
    this.#repository = repository
  }

  async plan(): Promise<Plan> {
    const { request, settings } = this.#input
    const specs = this.#specs()
    const type = specs.length === 0 ? (request.requestedType ?? null) : null
    const stages = type === null ? await this.#stages(specs) : [await this.#requestedStage(type)]
    const file = this.#file
    const ignore =
      file.ignoreCommand === undefined ? settings.commandForIgnoringBuildStep : file.ignoreCommand
    const node = await chooseNode(this.#tree, {
      pkg: await this.#nearestPackage(stages[0]?.folder),
      asked: request.nodeVersion,
      setting: settings.nodeVersion,
      isLenient: type !== null,
    })
    return {
      root: this.#root,
      nodeVersion: node.version,
      bunVersion: file.bunVersion,
      ignoreCommand: ignore?.trim() ? ignore : null,
      routes: request.routes === null ? file.routes : await requestedRoutes(request.routes),
      cleanUrls: file.cleanUrls,
      functions: [...specs.flatMap(({ spec }) => settingOf(spec)), ...file.functions],
      crons: file.crons,
      regions: file.regions,
      images: file.images,
      buildEnv: plainVariables(file.buildEnv, request.buildEnvKeys),
      envPrefix: this.#framework?.envPrefix,
      programEnv: plainVariables(file.env, request.envKeys),
      hidden: this.#hidden(),
      notes: this.#notes,
      warnings: [...file.warnings, ...node.warnings],
      middleware: await this.#middleware(stages),
      stages,
    }
  }

  /** What the request asks for; where that is nothing, what the configuration file does, all as one build. */
  #specs(): readonly SpecRun[] {
    const { builds, buildRuns } = this.#input.request
    const [first] = buildRuns
    if (builds.length > 0)
      return buildRuns.map(({ id, use, path, config }) => ({ run: id, spec: { src: path, use, config } }))
    return first === undefined ? [] : this.#file.builds.map((spec) => ({ run: first.id, spec }))
  }

  async #stages(specs: readonly SpecRun[]): Promise<readonly Stage[]> {
    if (specs.length === 0) return this.#folderStages(this.#onlyRun(), '')
    const budget = globBudget()
    const planned = await Promise.all(
      specs.map((spec) =>
        planSpec(spec, {
          tree: this.#tree,
          root: this.#root,
          docker: this.#input.docker,
          budget,
          planFolder: (id, folder, framework) => this.#folderStages(id, folder, framework),
        }),
      ),
    )
    return withoutRepeated(planned.flat())
  }

  /** The project's settings are about its root directory; a folder below it goes by what is in it. */
  async #folderStages(run: string, folder: string, named?: string): Promise<readonly Stage[]> {
    const tree = this.#tree.within(folder)
    const pkg = await readPackageJson(tree)
    const settings = await this.#settings(tree, pkg, folder, named)
    if (settings.framework && !isPrebuilt(tree)) {
      this.#framework ??= settings.framework
      this.#notes.push(`Detected ${settings.framework.name}`)
    }
    return planFolder(run, {
      ...{ tree, pkg, settings },
      folder: joined(this.#root, folder),
      mount: folder,
      docker: this.#input.docker,
    })
  }

  #settings(
    tree: SourceTree,
    pkg: PackageJson | undefined,
    folder: string,
    named: string | undefined,
  ): Promise<Settings> {
    const { settings } = this.#input
    const own = folder === '' ? settings : { ...settings, ...NOTHING_SET }
    const file = folder === '' ? this.#file : { ...this.#file, ...NOTHING_SAID }
    const said = named === undefined ? file : { ...file, framework: named }
    return settle(tree, pkg, own, said, folder === '' ? this.#repository : undefined)
  }

  async #requestedStage(type: LegacyType): Promise<Stage> {
    const run = this.#onlyRun()
    switch (type) {
      case 'NPM':
        return planProgram(run, this.#root, this.#tree)
      case 'DOCKER':
        return imageStage(run, { folder: this.#root, dockerfile: 'Dockerfile', docker: this.#input.docker })
      case 'STATIC':
        return {
          ...EMPTY_STAGE,
          run,
          folder: this.#root,
          takes: [
            {
              kind: 'uploaded',
              files: this.#tree.paths.map((path) => ({ path, source: joined(this.#root, path) })),
            },
          ],
        }
    }
  }

  /** The CLI of those frameworks that need it sees to it; beside a server it has to look like one. */
  async #middleware(stages: readonly Stage[]): Promise<string | undefined> {
    const file = middlewareFile(this.#tree)
    const { requestedType, builds } = this.#input.request
    const isOurs = requestedType === null && builds.length === 0 && this.#file.builds.length === 0
    if (file === undefined || !isOurs || isPrebuilt(this.#tree)) return undefined
    if (stages.some(({ build }) => build?.kind === 'cli')) return undefined
    const isServer = stages.some(({ takes }) =>
      takes.some(({ kind }) => kind !== 'uploaded' && kind !== 'functions' && kind !== 'built'),
    )
    return !isServer || (await isMiddleware(this.#tree, file)) ? joined(this.#root, file) : undefined
  }

  #onlyRun(): string {
    return this.#input.request.buildRuns[0]?.id ?? ''
  }

  /** That of the first folder that is built; a function may be in one without a package.json of its own. */
  #nearestPackage(folder = this.#root): Promise<PackageJson | undefined> {
    const inside = folder === this.#root ? '' : folder.slice(this.#root === '' ? 0 : this.#root.length + 1)
    for (let at = inside; at !== ''; at = folderOf(at))
      if (this.#tree.has(`${at}/package.json`)) return readPackageJson(this.#tree, `${at}/package.json`)
    return readPackageJson(this.#tree)
  }

  /** What would be taken for the result of this build, and what is none of its business. */
  #hidden(): (path: string) => boolean {
    const stale = isPrebuilt(this.#tree) ? undefined : `${joined(this.#root, '.vercel/output')}/`
    const inside =
      this.#root === '' || this.#input.settings.sourceFilesOutsideRootDirectory ? '' : `${this.#root}/`
    return (path) => (stale !== undefined && path.startsWith(stale)) || !path.startsWith(inside)
  }
}

/** Functions of several builds may be of one package, whose script is run once. */
function withoutRepeated(stages: readonly Stage[]): readonly Stage[] {
  const built = new Set<string>()
  return stages.filter(({ folder, build, takes }) => {
    const isRepeated = takes.length === 0 && built.has(folder)
    if (build?.kind === 'script') built.add(folder)
    return !isRepeated
  })
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
