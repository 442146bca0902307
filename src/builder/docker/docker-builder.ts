import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { noFileMatches } from '#core/build/build-failure.ts'
import { builderOf, matchedPaths } from '#core/deployment/builds.ts'
import type { BuildSpec } from '#core/deployment/deployment.ts'
import type { ManifestFile } from '#core/deployment/file/manifest.ts'
import { settingOf } from '#core/detection/builder-runs.ts'
import {
  type Configuration,
  plainVariables,
  readConfiguration,
} from '#core/detection/config/configuration.ts'
import { mergedRoutes, requestedRoutes } from '#core/detection/config/route-rules.ts'
import { baseOf, folderOf, joined, type SourceTree, sourceTree } from '#core/detection/source-tree.ts'
import { mergeParts } from '#core/output/merge-parts.ts'
import { DEFAULT_MAX_DURATION, DEFAULT_MEMORY_MB, type Output, type Program } from '#core/output/output.ts'
import { type BuildEvents, type Builder, BuildFailure, type BuildTask } from '#core/ports/builder.ts'
import type { ImageBuilder } from '#core/ports/image-builder.ts'
import type { SourceRoute } from '#core/routing/route.ts'
import { DEFAULT_LIMITS } from '../environment/build-environment.ts'
import { createCommandLog } from '../environment/command/command-log.ts'
import { createRedactor } from '../environment/command/redact.ts'
import { programId } from '../output/program-id.ts'
import { type ContextStore, storeContext } from './context.ts'
import { argumentsOf, readInstructions, refuseFetching } from './dockerfile.ts'

interface DockerBuilderParts {
  readonly images: ImageBuilder
  readonly blobs: ContextStore
}

/** One image, or files that are served beside it. */
interface ImageBuild {
  readonly run: string
  readonly spec: BuildSpec
}

const DOCKERFILE = 'Dockerfile'
/** The names that an engine gives a value to without being asked, and does not look at when it finds a step done before. */
const PROXY = /^(?:https?|ftp|no|all)_proxy$/i

/** Takes the deployments that are images: each Dockerfile makes a program that answers all below its folder. */
export function createDockerBuilder(parts: DockerBuilderParts): Builder {
  return {
    async build(task, events) {
      const { signal } = task
      signal.throwIfAborted()
      try {
        return await new DockerBuild(parts, task, events).run()
      } catch (error) {
        signal.throwIfAborted()
        throw error
      }
    },
  }
}

class DockerBuild {
  readonly #parts: DockerBuilderParts
  readonly #task: BuildTask
  readonly #events: BuildEvents
  readonly #root: string
  readonly #tree: SourceTree<ManifestFile>

  constructor(parts: DockerBuilderParts, task: BuildTask, events: BuildEvents) {
    this.#parts = parts
    this.#task = task
    this.#events = events
    this.#root = task.plan.root
    this.#tree = sourceTree(task.files, ({ sha256 }) => parts.blobs.read(sha256)).within(this.#root)
  }

  async run(): Promise<Output> {
    const { deployment } = this.#task
    const file = await readConfiguration(this.#tree)
    const outputs: Output[] = []
    const routes: SourceRoute[] = []
    const begun = new Set<string>()
    for (const { run, spec } of this.#imageBuilds()) {
      if (!begun.has(run)) await this.#events.began(run)
      begun.add(run)
      const matched = await matchedPaths(spec.src, this.#tree.paths, this.#root)
      if (matched.length === 0) throw noFileMatches(spec.src, run)
      if (builderOf(spec.use) === 'static') outputs.push(this.#files(matched))
      else
        for (const path of dockerfiles(matched, run)) {
          const program = await this.#image(run, path, spec, file)
          const folder = folderOf(path)
          const answer = joined(folder, 'index')
          outputs.push({
            routes: undefined,
            files: [],
            functions: [{ path: answer, program: program.id }],
            programs: [program],
          })
          routes.push({
            src: folder === '' ? '^/(.*)$' : `^/${escaped(folder)}(?:/(.*))?$`,
            dest: `/${answer}`,
          })
        }
    }
    const own = deployment.routes === null ? file.routes : await requestedRoutes(deployment.routes)
    // The deepest folder first, as what is above it takes everything.
    routes.sort((a, b) => (b.dest ?? '').length - (a.dest ?? '').length)
    const merged = mergeParts(outputs, await mergedRoutes(own, [[{ handle: 'filesystem' }, ...routes]]))
    for (const run of begun) await this.#events.ended(run)
    return merged
  }

  /** An older client's deployment is what its Dockerfile makes of it. */
  #imageBuilds(): readonly ImageBuild[] {
    const { builds, buildRuns } = this.#task.deployment
    if (builds.length === 0)
      return [{ run: buildRuns[0]?.id ?? '', spec: { src: DOCKERFILE, use: '@aloft/docker', config: {} } }]
    const imageBuilds = buildRuns.map(({ id, use, path, config }) => ({
      run: id,
      spec: { src: path, use, config },
    }))
    const other = imageBuilds.find(({ spec }) => !['docker', 'static'].includes(builderOf(spec.use)))
    if (other)
      throw new BuildFailure(
        'mixed_builds',
        `An image can only be combined with static files, not with the output of ${other.spec.use}.`,
        other.run,
      )
    return imageBuilds
  }

  #files(paths: readonly string[]): Output {
    const files = paths.flatMap((path) => {
      const file = this.#tree.file(path)
      return file ? [{ path, sha1: file.sha1, sha256: file.sha256, size: file.size }] : []
    })
    return { routes: undefined, files, functions: [], programs: [] }
  }

  async #image(run: string, path: string, spec: BuildSpec, file: Configuration): Promise<Program> {
    const { deployment, env, signal, secrets } = this.#task
    const tree = this.#tree.within(folderOf(path))
    const entry = baseOf(path)
    const text = await tree.text(entry)
    if (text === undefined) throw new BuildFailure('invalid_dockerfile', `${path} is too large.`, run)
    const instructions = readInstructions(text, run)
    refuseFetching(instructions, run)
    const { archive, fileCount } = await storeContext(tree, entry, { blobs: this.#parts.blobs, signal, run })
    const [setting] = settingOf(spec)
    const fields = {
      runtime: 'docker',
      version: '',
      shape: 'command',
      entry,
      archive,
      fileCount,
      memoryMb: setting?.memoryMb ?? DEFAULT_MEMORY_MB,
      maxDuration: setting?.maxDuration ?? DEFAULT_MAX_DURATION,
      env: plainVariables(file.env, deployment.envKeys),
    } as const
    const program: Program = { id: programId(fields), ...fields }
    const wanted = argumentsOf(instructions)
    const values = { ...plainVariables(file.buildEnv, deployment.buildEnvKeys), ...env }
    const args = Object.fromEntries(
      Object.entries(values).filter(([name]) => wanted.has(name) && !PROXY.test(name)),
    )

    const { logLines, logBytes } = DEFAULT_LIMITS
    const redactor = createRedactor(secrets)
    const commands = createCommandLog(redactor, { lines: logLines, bytes: logBytes })
    const log = this.#events.log(run)
    await commands.command(log, `docker build -f ${path} .`)
    const output = new PassThrough()
    const followed = commands.follow(log, output)
    try {
      await this.#parts.images.build({
        ...{ program, args, signal },
        deploymentId: deployment.id,
        ownerId: deployment.ownerId,
        onOutput: (text) => (output.write(text) ? undefined : once(output, 'drain')),
      })
    } catch (error) {
      if (!(error instanceof BuildFailure)) throw error
      throw new BuildFailure(error.code, redactor.redact(error.message), run)
    } finally {
      output.end()
      await followed
    }
    return program
  }
}

/** A pattern such as `**` means the Dockerfiles among what it matches. */
function dockerfiles(matched: readonly string[], run: string): readonly string[] {
  if (matched.length === 1) return matched
  const found = matched.filter((path) => baseOf(path) === DOCKERFILE)
  if (found.length > 0) return found
  throw new BuildFailure('missing_dockerfile', 'None of the matching files is a Dockerfile.', run)
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
