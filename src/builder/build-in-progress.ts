import { showDuration } from '#contract/amounts.ts'
import { type FunctionSetting, settingFor } from '#core/detection/config/function-settings.ts'
import { uploadedFiles } from '#core/detection/files-only.ts'
import { escaped } from '#core/detection/framework/api-functions.ts'
import type {
  BuiltTake,
  CliStep,
  FunctionsTake,
  Install,
  Plan,
  PythonInstall,
  ServerTake,
  Stage,
  Take,
} from '#core/detection/plan.ts'
import { runtimeOfProgram } from '#core/detection/program-runtime.ts'
import { joined } from '#core/detection/source-tree.ts'
import {
  type CodeRuntime,
  DEFAULT_MAX_DURATION,
  DEFAULT_MEMORY_MB,
  type Output,
} from '#core/output/output.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import { type BuildEvents, BuildFailure, type BuildTask } from '#core/ports/builder.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Route } from '#core/routing/route.ts'
import { buildEnv } from './build-env.ts'
import { installDependencies } from './environment/install/install-dependencies.ts'
import type { Installed } from './environment/install/install-options.ts'
import { installPython, pythonFault, pythonPackages } from './environment/install/install-python.ts'
import type { Registry } from './environment/toolchain/registry.ts'
import {
  downloading,
  type NodeToolchain,
  type OnDownload,
  ToolchainError,
  type Toolchains,
} from './environment/toolchain/toolchain.ts'
import { type RunOptions, shell, type Workspace } from './environment/workspace.ts'
import { type BuildCli, PLATFORM_NODE } from './framework-cli/build-cli.ts'
import { cliCommand } from './framework-cli/cli-command.ts'
import {
  type Collection,
  collectApp,
  collectBuildOutput,
  collectFunctions,
  collectMiddleware,
  collectStatic,
} from './output/collect.ts'

interface BuildParts {
  readonly workspace: Workspace
  readonly task: BuildTask
  readonly events: BuildEvents
  readonly toolchains: Toolchains
  readonly cli: BuildCli
  readonly blobs: Pick<BlobStore, 'put' | 'putBytes'>
  readonly clock: Clock
  readonly registry: (() => Promise<Pick<Registry, 'url'>>) | undefined
}

/** What was taken, and the rules that came with it, in the order in which they count. */
export interface Built {
  readonly parts: readonly Output[]
  readonly routes: readonly (readonly Route[])[]
  /** Those of the middleware, which come before everybody's. */
  readonly before: readonly Route[]
}

/** Where a server or a program answers. */
const serverPath = (mount: string): string => joined(mount, 'index')
const serverRoutes = (mount: string): readonly Route[] => [
  { handle: 'filesystem' },
  {
    src: mount === '' ? '^/(.*)$' : `^/${escaped(mount)}(?:/(.*))?$`,
    dest: `/${serverPath(mount)}`,
  },
]

/** The last line may be without an end. */
const ADD_TO_NPMRC =
  'cp "$HOME/.npmrc" "$HOME/.npmrc.before" 2>/dev/null; printf "\\n%s\\n" "$NPMRC_LINE" >> "$HOME/.npmrc"'
const RESTORE_NPMRC = 'rm -f "$HOME/.npmrc"; mv "$HOME/.npmrc.before" "$HOME/.npmrc" 2>/dev/null; true'

/** One build while it lasts: a plan carried out in a workspace. */
export class BuildInProgress {
  readonly #parts: BuildParts
  readonly #plan: Plan
  /** What commands find, under what the task says. */
  readonly #env: Readonly<Record<string, string>>
  readonly #begun = new Set<string>()
  readonly #installed = new Map<string, Installed>()
  readonly #outputs: Output[] = []
  readonly #routes: (readonly Route[])[] = []

  constructor(parts: BuildParts) {
    this.#parts = parts
    this.#plan = parts.task.plan
    this.#env = buildEnv(parts.task)
    const [first] = this.#plan.stages
    if (first) this.#begun.add(first.run)
  }

  async run(): Promise<Built> {
    const plan = this.#plan
    const [first] = plan.stages
    for (const note of first ? [...plan.notes, ...plan.warnings, ...this.#unpublished()] : [])
      await this.#say((first as Stage).run, note)
    if (first && plan.ignoreCommand !== null) await this.#askWhetherToIgnore(first, plan.ignoreCommand)
    for (const stage of plan.stages) {
      await this.#begin(stage.run)
      for (const install of stage.installs) await this.#install(stage, install)
      for (const install of stage.python) await this.#installPython(stage, install)
      await this.#build(stage)
      for (const take of stage.takes) await this.#take(stage, take)
    }
    const before = plan.middleware === undefined ? [] : await this.#takeMiddleware(plan.middleware)
    return { parts: this.#outputs, routes: this.#routes, before }
  }

  /** What cannot be had for this machine is said in words, with what is used instead. */
  #unpublished(): readonly string[] {
    const { nodeVersion, functions } = this.#plan
    const asked = [nodeVersion, ...functions.flatMap((setting) => setting.nodeVersion ?? [])]
    return [...new Set(asked)]
      .filter((version) => this.#line(version) !== version)
      .map(
        (version) =>
          `Warning: Node ${version} was never published for ${process.platform}-${process.arch}: Node ${this.#line(version)} is used.`,
      )
  }

  async #begin(run: string): Promise<void> {
    if (this.#begun.has(run)) return
    this.#begun.add(run)
    await this.#parts.events.began(run)
  }

  async #askWhetherToIgnore({ run }: Stage, line: string): Promise<void> {
    const { code } = await this.#command(run, {
      argv: shell(line),
      cwd: this.#plan.root,
      allowFailure: true,
    })
    if (code === 0)
      throw new BuildFailure('build_ignored', 'The build was skipped by the ignore command.', run)
  }

  async #install({ run, build }: Stage, { folder, command }: Install): Promise<void> {
    if (this.#installed.has(folder)) return
    const { workspace, toolchains, events, clock } = this.#parts
    const node = await this.#node(run, this.#line(this.#plan.nodeVersion))
    const began = clock.monotonic()
    const install = () =>
      installDependencies(workspace, toolchains, {
        root: folder,
        node,
        installCommand: command,
        log: events.log(run),
        run,
        env: this.#env,
        commands: build?.kind === 'line' ? [build.line] : [],
      })
    const installed = await failingAs('install_failed', () => this.#withToken(run, install))
    this.#installed.set(folder, installed)
    if (installed.how === 'installed')
      await this.#say(run, `Installed dependencies with ${installed.manager} in ${since(began, clock)}`)
  }

  /**
   * The token that an older client sent is for private packages. It is in npm's configuration while they are
   * installed, which a variable could not do: a shell passes on no names with slashes.
   */
  async #withToken<T>(run: string, install: () => Promise<T>): Promise<T> {
    const { task, registry } = this.#parts
    const token = task.registryAuthToken
    if (token === undefined || registry === undefined) return install()
    if (!/^[\x21-\x7e]+$/.test(token))
      throw new BuildFailure('install_failed', '`registryAuthToken` is not a valid token.', run)
    const place = (await registry()).url.replace(/^https?:/, '')
    const hidden = { shown: null, quiet: true } as const
    const env = { NPMRC_LINE: `${place}:_authToken=${token}` }
    await this.#command(run, { argv: shell(ADD_TO_NPMRC), env, ...hidden })
    const done = await install()
    await this.#command(run, { argv: shell(RESTORE_NPMRC), ...hidden })
    return done
  }

  async #installPython({ run }: Stage, { folder, list }: PythonInstall): Promise<void> {
    const { code } = await this.#command(run, {
      ...{ argv: installPython(list), cwd: folder, allowFailure: true },
      shown: `pip install -r ${list}`,
    })
    if (code !== 0) throw new BuildFailure('install_failed', pythonFault(code, list), run)
  }

  async #build(stage: Stage): Promise<void> {
    const { build, run, folder } = stage
    if (build === undefined) return
    const { clock } = this.#parts
    const began = clock.monotonic()
    await failingAs('build_failed', async () => {
      switch (build.kind) {
        case 'line':
          return this.#command(run, { argv: shell(build.line), cwd: folder }, folder)
        case 'script': {
          const manager = this.#installed.get(folder)?.manager ?? 'npm'
          return this.#command(run, { argv: [manager, 'run', build.script], cwd: folder }, folder)
        }
        case 'program':
          return this.#command(run, { argv: build.argv, cwd: folder }, folder)
        case 'cli':
          return this.#runCli(stage, build)
      }
    })
    await this.#say(run, `Built in ${since(began, clock)}`)
  }

  async #runCli({ run, folder }: Stage, step: CliStep): Promise<void> {
    const { task, cli } = this.#parts
    const onDownload = this.#onDownload(run, `build tools for ${step.framework}`)
    const installed = await available('The build tools', () => cli.ensure(onDownload))
    const production = task.deployment.target === 'production'
    const command = cliCommand(installed, step, { stage: folder, plan: this.#plan, production })
    await this.#command(
      run,
      { ...command, env: { ...this.#env, ...command.env }, shown: `vercel build (${step.framework})` },
      folder,
    )
  }

  /** With the package managers of the folder in which dependencies were installed. */
  async #command(
    run: string,
    options: Omit<RunOptions, 'node' | 'log' | 'run'>,
    installedIn = this.#plan.root,
  ) {
    const { workspace, events } = this.#parts
    return workspace.run({
      env: this.#env,
      tools: this.#installed.get(installedIn)?.tools ?? [],
      ...options,
      node: await this.#node(run, this.#line(this.#plan.nodeVersion)),
      log: events.log(run),
      run,
    })
  }

  async #take({ run, python }: Stage, take: Take): Promise<void> {
    switch (take.kind) {
      case 'uploaded':
        return this.#add(uploadedFiles(take, this.#parts.task.files))
      case 'build-output':
        return this.#add(
          await collectBuildOutput(await this.#collection(run), {
            folder: joined(take.folder, '.vercel/output'),
          }),
        )
      case 'functions':
        return this.#takeFunctions(run, take, python)
      case 'built':
        return this.#takeBuilt(run, take)
      case 'server':
        return this.#takeServer(run, take)
      case 'image':
        throw new BuildFailure('docker_unavailable', 'There is no Docker Engine to build it.', run)
      case 'command': {
        const output = await collectApp(await this.#collection(run), {
          root: take.root,
          paths: [serverPath('')],
          ...this.#runtime('node'),
          start: { command: take.command },
        })
        return this.#add(output, serverRoutes(''))
      }
    }
  }

  async #takeMiddleware(file: string): Promise<readonly Route[]> {
    const run = this.#plan.stages.at(-1)?.run ?? ''
    const output = await collectMiddleware(await this.#collection(run), {
      file,
      version: this.#plan.nodeVersion,
    })
    this.#outputs.push(output)
    return output.routes ?? []
  }

  async #takeFunctions(
    run: string,
    { root, functions, routes }: FunctionsTake,
    python: readonly PythonInstall[],
  ): Promise<void> {
    const output = await collectFunctions(await this.#collection(run), {
      root,
      functions: functions.map(({ file, paths, runtime }) => {
        const setting = settingFor(file, this.#plan.functions)
        return {
          ...{ file, paths, ...this.#runtime(runtime, setting) },
          memoryMb: setting?.memoryMb ?? DEFAULT_MEMORY_MB,
          maxDuration: setting?.maxDuration ?? DEFAULT_MAX_DURATION,
          includeFiles: setting?.includeFiles ?? [],
          excludeFiles: setting?.excludeFiles ?? [],
        }
      }),
      packages: python.map(({ list }) => pythonPackages(list)),
    })
    this.#add(output, routes)
  }

  /** An adapter of the framework may have written its own output; its rules then replace the usual ones. */
  async #takeBuilt(run: string, { base, folders, mount, optional, routes }: BuiltTake): Promise<void> {
    const collection = await this.#collection(run)
    const own = await collectBuildOutput(collection, {
      folder: joined(base, '.vercel/output'),
      optional: true,
    })
    if (own) return this.#add(own)
    const files = await collectStatic(collection, {
      folders: folders.map((folder) => joined(base, folder)),
      prefix: mount,
      optional,
    })
    return this.#add(files, files === undefined ? [] : routes)
  }

  async #takeServer(run: string, take: ServerTake): Promise<void> {
    const { root, runtime, entries, publicFolder, mount, env } = take
    const collection = await this.#collection(run)
    const setting = entries.map((entry) => settingFor(entry, this.#plan.functions)).find(Boolean)
    if (publicFolder !== undefined)
      this.#add(
        await collectStatic(collection, {
          folders: [joined(root, publicFolder)],
          prefix: mount,
          optional: true,
        }),
      )
    const output = await collectApp(collection, {
      root,
      paths: [serverPath(mount)],
      ...this.#runtime(runtime, setting),
      ...(setting?.memoryMb === undefined ? {} : { memoryMb: setting.memoryMb }),
      ...(setting?.maxDuration === undefined ? {} : { maxDuration: setting.maxDuration }),
      ...(env && { env }),
      start: { entries },
    })
    this.#add(output, serverRoutes(mount))
  }

  #add(output: Output | undefined, routes: readonly Route[] = []): void {
    if (output === undefined) return
    this.#outputs.push(output)
    this.#routes.push(output.routes ?? routes)
  }

  async #collection(run: string): Promise<Collection> {
    const { workspace, blobs, events } = this.#parts
    return { workspace, blobs, log: events.log(run), run, node: await this.#node(run, PLATFORM_NODE) }
  }

  #runtime(found: CodeRuntime, own?: FunctionSetting): { runtime: CodeRuntime; version: string } {
    const { runtime, version } = runtimeOfProgram(found, own, this.#plan)
    return { runtime, version: runtime === 'node' ? this.#line(version) : version }
  }

  /** The line of Node that is used where this one is asked for. */
  #line(version: string): string {
    return this.#parts.toolchains.nodeLine(version)
  }

  #node(run: string, version: string): Promise<NodeToolchain> {
    const what = `Node ${version}`
    return available(what, () => this.#parts.toolchains.ensureNode(version, this.#onDownload(run, what)))
  }

  /** Whoever follows the log knows what the build waits for. */
  #onDownload(run: string, what: string): OnDownload {
    return () => this.#say(run, downloading(what))
  }

  #say(run: string, line: string): Promise<void> {
    return this.#parts.workspace.note(this.#parts.events.log(run), line)
  }
}

const since = (began: number, clock: Clock): string => showDuration(clock.monotonic() - began)

/** A command that fails is told by what it was for. */
async function failingAs<T>(code: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BuildFailure && error.code === 'command_failed')
      throw new BuildFailure(code, error.message, error.run)
    throw error
  }
}

async function available<T>(what: string, get: () => Promise<T>): Promise<T> {
  try {
    return await get()
  } catch (error) {
    if (!(error instanceof ToolchainError)) throw error
    const when = error.kind === 'unavailable' ? ' at the moment' : ''
    throw new BuildFailure('toolchain_unavailable', `${what} cannot be downloaded${when}: ${error.message}`)
  }
}
