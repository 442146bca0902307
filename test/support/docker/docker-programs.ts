import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import type { ContainerLaunch, ControlMessage } from '#adapters/docker/launch/container-launch.ts'
import {
  type Docker,
  type DockerLimits,
  type DockerOptions,
  openDocker,
} from '#adapters/docker/open-docker.ts'
import { createDockerBuilder } from '#builder/docker/docker-builder.ts'
import { builtBy, type Files, manifestOf, plannedTask, runOf } from '#core/detection/plan-testing.ts'
import type { LoadedProgram } from '#core/instance/instance.ts'
import type { Output, Program } from '#core/output/output.ts'
import type { BuildTask } from '#core/ports/builder.ts'
import { clockOf } from '#test/support/clock.ts'
import { silentLog } from '../silent-log.ts'

const clock = clockOf(() => Date.now())

interface Built {
  readonly output: Output
  readonly program: Program
  /** What its log says, commands after a `$`. */
  readonly log: readonly string[]
}

interface Changes extends Partial<Omit<BuildTask, 'deployment'>> {
  readonly deploymentId?: string
}

export interface DockerPrograms {
  readonly docker: Docker
  /** Opens the same installation once more, as another process would. */
  open(): Promise<Docker>
  /** Builds what these files and this Dockerfile are. */
  build(files: Files, changes?: Changes): Promise<Built>
  /** Its log when the build fails. */
  readonly failedLog: readonly string[]
  run(program: Program, env?: Readonly<Record<string, string>>, deploymentId?: string): Promise<Running>
  close(): Promise<void>
}

/** A data folder, its blobs, and programs on an engine. */
export async function openPrograms(
  host: string,
  limits: Partial<DockerLimits> = {},
  own: Pick<DockerOptions, 'services' | 'authorities'> = {},
  opening: (options: DockerOptions) => Promise<Docker> = openDocker,
): Promise<DockerPrograms> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-images-'))
  const blobs = await createFsBlobStore({ folder: join(folder, 'blobs'), clock, log: silentLog })
  let opened = 0
  const open = () => {
    const runFolder = join(folder, `run-${opened++}`)
    return opening({ ...{ host, folder, runFolder, blobs, clock, limits, log: silentLog }, ...own })
  }
  const leave = async () => {
    await blobs.close()
    await rm(folder, { recursive: true, force: true })
  }
  const docker = await open().catch(async (error: unknown) => {
    await leave()
    throw error
  })
  const builder = createDockerBuilder({ images: docker.images, blobs })
  let failedLog: readonly string[] = []
  return {
    docker,
    open,
    get failedLog() {
      return failedLog
    },
    async build(files, { deploymentId: id = 'dpl_1', ...changes } = {}) {
      const { files: manifest, read } = manifestOf(files)
      for (const file of manifest) await blobs.putBytes((await read(file)) as Buffer)
      const log: string[] = []
      failedLog = log
      const write = async (line: string) => void log.push(line)
      const task = {
        ...(await plannedTask(manifest, read, {
          deployment: { id, ...builtBy(runOf('@aloft/docker', 'Dockerfile')) },
          docker: true,
        })),
        ...changes,
      }
      const output = await builder.build(task, {
        log: () => ({ command: (line) => write(`$ ${line}`), stdout: write }),
        began: async () => {},
        ended: async () => {},
      })
      return { output, program: output.programs[0] as Program, log }
    },
    async run(program, env = {}, deploymentId = 'dpl_1') {
      const scale = { min: 0, max: 1 }
      const loaded: LoadedProgram = {
        ...{ program, env, scale, deploymentId, ownerId: 'usr_1', projectId: 'prj_1', paths: ['index'] },
      }
      return new Running(await docker.launch(loaded), env)
    },
    async close() {
      await docker.close()
      await leave()
    },
  }
}

/** A container that was given its variables. */
export class Running {
  readonly launched: ContainerLaunch
  readonly stdout: Promise<string>
  readonly stderr: Promise<string>
  readonly #messages: ControlMessage[] = []
  #heard = () => {}

  constructor(launched: ContainerLaunch, env: Readonly<Record<string, string>>) {
    this.launched = launched
    launched.listener = {
      message: (message) => {
        this.#messages.push(message)
        this.#heard()
      },
      closed: () => {},
    }
    const { stdout, stderr } = launched.output()
    this.stdout = text(stdout)
    this.stderr = text(stderr)
    launched.control.send({ type: 'load', env })
  }

  /** The first message: whether it takes requests, has done its work, or failed. */
  async first(): Promise<ControlMessage> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#heard = resolve
    if (this.#messages.length === 0) await Promise.race([promise, this.launched.exit])
    return this.#messages[0] ?? { type: 'none' }
  }

  async get(path: string): Promise<string> {
    const asked = request({ socketPath: this.launched.socket, path, agent: false }).end()
    const [response] = await once(asked, 'response')
    return text(response)
  }

  /** Whether a request that broke off did so with the node that it went to. */
  async wasLost(): Promise<boolean> {
    return (await this.launched.wasLost?.()) === true
  }

  async end(): Promise<void> {
    this.launched.kill()
    await this.launched.exit
  }
}
