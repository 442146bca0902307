import { type Collection, collectBuildOutput, collectMiddleware } from '#builder/output/collect.ts'
import type { Deployment } from '#core/deployment/deployment.ts'
import type { ManifestFile } from '#core/deployment/file/manifest.ts'
import { type Configuration, readConfiguration } from '#core/detection/config/configuration.ts'
import { readPackageJson } from '#core/detection/config/package-json.ts'
import { mergedRoutes } from '#core/detection/config/route-rules.ts'
import { detect } from '#core/detection/detect.ts'
import { isFilesOnly, servedInPlace, uploadedFiles } from '#core/detection/files-only.ts'
import { escaped } from '#core/detection/framework/api-functions.ts'
import { detectFramework, type Framework, frameworkOf } from '#core/detection/framework/frameworks.ts'
import type { Plan, Stage, Take } from '#core/detection/plan.ts'
import { joined, type ReadContent, sourceTree } from '#core/detection/source-tree.ts'
import { withCleanUrls } from '#core/output/clean-urls.ts'
import { mergeParts } from '#core/output/merge-parts.ts'
import type { Output, OutputFile } from '#core/output/output.ts'
import { DEFAULT_BUILD_SETTINGS } from '#core/project/project.ts'
import type { Route } from '#core/routing/route.ts'
import { isPrivateFile } from '#edge/file/private-file.ts'
import { configuredCommand, type DevCommand, usualCommand, wantsCommand } from './dev-command.ts'
import { functionProgram, readyPrograms, type SourceProgram, serverProgram } from './source-program.ts'

/** What a folder is, decided as for a deployment; what a build would make is answered by a development server. */
export interface DevPlan {
  readonly files: readonly OutputFile[]
  readonly sources: readonly SourceProgram[]
  readonly routes: readonly Route[] | undefined
  readonly routesFrom: 'request' | 'output'
  readonly command: (DevCommand & { readonly folder: string }) | undefined
  readonly framework: string | undefined
  /** The line of Node that the project asks for. */
  readonly nodeVersion: string | undefined
  /** What programs find, under everything else. */
  readonly programEnv: Readonly<Record<string, string>>
  readonly notes: readonly string[]
}

interface DevPlanParts {
  readonly folder: string
  readonly deployment: Deployment
  readonly read: ReadContent<ManifestFile>
  readonly collection: Collection
  /** The files that a build left in a folder, whether or not they are ignored; none where there is no such folder. */
  readonly builtFiles: (folder: string) => Promise<readonly ManifestFile[]>
}

/** The id of what a development server answers, among the programs. */
export const DEV_SERVER = 'dev-server'

export async function planFolder(all: readonly ManifestFile[], parts: DevPlanParts): Promise<DevPlan> {
  const manifest = all.filter(({ path }) => !isPrivateFile(path))
  const plan = await detect({
    ...{ files: manifest, read: parts.read, request: parts.deployment, docker: false },
    settings: parts.deployment.settings ?? DEFAULT_BUILD_SETTINGS,
  })
  const paths = isFilesOnly(plan) ? servedInPlace(plan, false) : undefined
  const inPlace = paths && new Set(paths)
  if (inPlace)
    return {
      ...{ files: manifest.filter(({ path }) => inPlace.has(path)), sources: [], routes: undefined },
      ...{ routesFrom: 'request', command: undefined, framework: undefined, nodeVersion: undefined },
      ...{ programEnv: {}, notes: plan.warnings },
    }
  return new Planning(plan, manifest, parts).carryOut()
}

/** Where a server answers, and what leads to it. */
const serverRoutes = (mount: string): readonly Route[] => [
  { handle: 'filesystem' },
  { src: mount === '' ? '^/(.*)$' : `^/${escaped(mount)}(?:/(.*))?$`, dest: `/${joined(mount, 'index')}` },
]

/** The work of one call. */
class Planning {
  readonly #plan: Plan
  readonly #manifest: readonly ManifestFile[]
  readonly #parts: DevPlanParts
  readonly #outputs: Output[] = []
  readonly #sources: SourceProgram[] = []
  readonly #routes: (readonly Route[])[] = []
  readonly #notes: string[]
  #command: DevPlan['command']
  #framework: string | undefined

  constructor(plan: Plan, manifest: readonly ManifestFile[], parts: DevPlanParts) {
    this.#plan = plan
    this.#manifest = manifest
    this.#parts = parts
    this.#notes = [...plan.warnings]
  }

  async carryOut(): Promise<DevPlan> {
    for (const stage of this.#plan.stages) {
      const command = this.#command === undefined ? await this.#commandOf(stage) : undefined
      if (command) this.#command = { ...command, folder: stage.folder }
      for (const take of stage.takes) await this.#take(take, command !== undefined)
      if (command !== undefined && !stage.takes.some(({ kind }) => kind !== 'functions')) this.#takeServed()
    }
    const { routes, programEnv, cleanUrls, nodeVersion, middleware } = this.#plan
    const before = middleware === undefined ? [] : await this.#takeMiddleware(middleware)
    const merged = mergeParts(this.#outputs, await mergedRoutes(routes, this.#routes))
    const reached = new Map(merged.functions.map(({ path, program }) => [path, program]))
    return {
      files: cleanUrls ? withCleanUrls(merged.files) : merged.files,
      sources: this.#sources.filter(({ id, paths }) => paths.some((path) => reached.get(path) === id)),
      routes: before.length === 0 ? merged.routes : [...before, ...(merged.routes ?? [])],
      routesFrom: 'output',
      command: this.#command,
      framework: this.#framework,
      nodeVersion,
      programEnv,
      notes: this.#notes,
    }
  }

  /** What answers in the place of what this stage would build. One that is served below a path is built first. */
  async #commandOf({ folder, build, takes }: Stage): Promise<DevCommand | undefined> {
    const tree = sourceTree(this.#manifest, this.#parts.read).within(folder)
    const config = await readConfiguration(tree)
    const pkg = await readPackageJson(tree)
    const framework = await frameworkIn(config, () => detectFramework(tree, pkg))
    this.#framework ??= framework?.name
    const findings = { tree, pkg, framework, configFile: config.file }
    const configured = await configuredCommand(findings)
    if (configured !== undefined) return configured ?? undefined
    const made = takes.find(
      (take) => take.kind === 'built' || take.kind === 'server' || take.kind === 'build-output',
    )
    if (made === undefined || (made.kind !== 'build-output' && made.mount !== '')) return undefined
    if (made.kind === 'build-output' && build === undefined) return undefined
    if (made.kind === 'server' && !wantsCommand(framework, build !== undefined)) return undefined
    return usualCommand(findings)
  }

  async #take(take: Take, served: boolean): Promise<void> {
    switch (take.kind) {
      case 'uploaded':
        return this.#addFiles(uploadedFiles(take, this.#manifest).files)
      case 'functions': {
        const { folder } = this.#parts
        const sources = await Promise.all(
          take.functions.map((source) => functionProgram(folder, take.root, source, this.#plan)),
        )
        return this.#addSources(sources, take.routes)
      }
      case 'built':
        return served ? this.#takeServed() : this.#takeBuilt(take)
      case 'server': {
        if (served) return this.#takeServed()
        if (take.publicFolder !== undefined)
          this.#addFiles(this.#below(joined(take.root, take.publicFolder), take.mount))
        return this.#addSources([serverProgram(take, this.#plan)], serverRoutes(take.mount))
      }
      case 'build-output': {
        if (served) return this.#takeServed()
        const output = await collectBuildOutput(this.#parts.collection, {
          folder: joined(take.folder, '.vercel/output'),
        })
        if (output === undefined) return
        this.#addFiles(output.files)
        return this.#addSources(readyPrograms(output), output.routes ?? [])
      }
      case 'image':
        this.#notes.push('Images are not run by `aloft dev`.')
        return
      case 'command':
        this.#notes.push('Programs that only have a start command are not run by `aloft dev`.')
    }
  }

  async #takeMiddleware(file: string): Promise<readonly Route[]> {
    const { nodeVersion: version } = this.#plan
    const output = await collectMiddleware(this.#parts.collection, { file, version })
    this.#addSources(readyPrograms(output), [])
    return output.routes ?? []
  }

  #takeServed(): void {
    this.#outputs.push({
      ...{ routes: undefined, files: [], programs: [] },
      functions: [{ path: 'index', program: DEV_SERVER }],
    })
    this.#routes.push(serverRoutes(''))
  }

  async #takeBuilt({ base, folders, mount, routes }: Extract<Take, { kind: 'built' }>): Promise<void> {
    for (const folder of folders) {
      const files = await this.#parts.builtFiles(joined(base, folder))
      if (files.length === 0) continue
      this.#notes.push(
        `Serving the last build output in ${joined(base, folder)}: there is no \`dev\` script.`,
      )
      this.#addFiles(files.map((file) => ({ ...file, path: joined(mount, file.path) })))
      this.#routes.push(routes)
      return
    }
    this.#notes.push('There is no `dev` script and no build output. Run the build, or set `devCommand`.')
  }

  #below(folder: string, mount: string): readonly ManifestFile[] {
    return this.#manifest.flatMap((file) =>
      file.path.startsWith(`${folder}/`)
        ? [{ ...file, path: joined(mount, file.path.slice(folder.length + 1)) }]
        : [],
    )
  }

  #addFiles(files: readonly OutputFile[]): void {
    this.#outputs.push({
      ...{ routes: undefined, functions: [], programs: [] },
      files: files
        .filter(({ path }) => !isPrivateFile(path))
        .map(({ path, sha1, sha256, size, contentType }) => ({
          ...{ path, sha1, sha256, size },
          ...(contentType === undefined ? {} : { contentType }),
        })),
    })
  }

  #addSources(sources: readonly SourceProgram[], routes: readonly Route[]): void {
    this.#sources.push(...sources)
    this.#outputs.push({
      ...{ routes: undefined, files: [], programs: [] },
      functions: sources.flatMap(({ id, paths }) => paths.map((path) => ({ path, program: id }))),
    })
    this.#routes.push(routes)
  }
}

async function frameworkIn(
  { framework }: Configuration,
  detect: () => Promise<Framework | undefined>,
): Promise<Framework | undefined> {
  if (framework === null) return undefined
  return framework === undefined ? detect() : frameworkOf(framework)
}
