import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { DAY, SECOND } from '#contract/time.ts'
import { DockerError, isDockerError } from './docker-error.ts'
import type { EngineAddress } from './engine-address.ts'
import { EngineHttp } from './engine-http.ts'
import type {
  ContainerDetails,
  ContainerStats,
  ContainerSummary,
  DiskUse,
  EngineBuild,
  EngineInfo,
  ImageDetails,
  ImageLayer,
  ImageSummary,
  Labels,
  NetworkDetails,
  NewContainer,
} from './engine-types.ts'
import { type Split, splitFrames } from './frames.ts'
import { readProgress } from './progress.ts'

/** The newest that is spoken here; engines of today still know it, and older ones say what they know. */
const NEWEST = [1, 44] as const
const OLDEST = [1, 40] as const
const CPU_PERIOD = 100_000
/** To begin with; the engine reads the whole context before it says anything. */
const CONTEXT_MS = 600 * SECOND

/** A program in an image ended; `message` is what the engine says where it could not even start. */
export class ImageBuildError extends Error {
  override readonly name = 'ImageBuildError'
  /** Of the step that failed, where it is one that ran something. */
  readonly exitCode: number | undefined

  constructor(message: string, exitCode: number | undefined) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Connects; rejects with a `DockerError` where there is no engine, or none that is understood. */
export async function connectEngine(address: EngineAddress): Promise<Engine> {
  const { ApiVersion = '', MinAPIVersion = '' } = await new EngineHttp(address).json<{
    readonly ApiVersion?: string
    readonly MinAPIVersion?: string
  }>({ method: 'GET', path: ['version'], timeoutMs: 5 * SECOND })
  const least = (version: string) => version.split('.').map(Number)
  const below = (a: readonly number[], b: readonly number[]) =>
    (a[0] ?? 0) < (b[0] ?? 0) || (a[0] === b[0] && (a[1] ?? 0) < (b[1] ?? 0))
  const newest = least(ApiVersion)
  if (below(newest, OLDEST) || below(NEWEST, least(MinAPIVersion)))
    throw new DockerError(
      'refused',
      `The Docker Engine speaks version ${ApiVersion}, which is not known here`,
    )
  const spoken = below(newest, NEWEST) ? newest : NEWEST
  return new Engine(new EngineHttp(address, `/v${spoken.join('.')}`))
}

/** An engine's verbs. All reject with a `DockerError`, and with the signal's reason after an abort. */
export class Engine {
  readonly http: EngineHttp

  constructor(http: EngineHttp) {
    this.http = http
  }

  info(): Promise<EngineInfo> {
    return this.http.json({ method: 'GET', path: ['info'] })
  }

  /** Answers the id of the image. Ending it early ends what it runs. Rejects with an `ImageBuildError` of its own. */
  async build(build: EngineBuild): Promise<string> {
    const { context, dockerfile, tag, labels, args, network, memoryBytes, cpus, signal, onOutput, onStep } =
      build
    const response = await this.http.stream({
      method: 'POST',
      path: ['build'],
      query: {
        ...{ dockerfile, t: tag, networkmode: network },
        labels: JSON.stringify(labels),
        buildargs: JSON.stringify(args),
        // Never a name that happens to be on this engine: it could be another account's image, by its id or its tag.
        pull: 1,
        ...{ rm: 1, forcerm: 1, version: 1 },
        ...{ memory: memoryBytes, memswap: memoryBytes },
        ...{ cpuperiod: CPU_PERIOD, cpuquota: Math.max(1000, Math.round(cpus * CPU_PERIOD)) },
      },
      body: context,
      timeoutMs: CONTEXT_MS,
      signal,
    })
    let id: string | undefined
    try {
      for await (const progress of readProgress(response)) {
        if (progress.kind === 'error') throw new ImageBuildError(progress.message.trim(), progress.code)
        if (progress.kind === 'image') {
          id = progress.id
          continue
        }
        if (progress.kind === 'step') onStep?.(progress.image)
        await onOutput(progress.text)
      }
    } catch (error) {
      signal?.throwIfAborted()
      throw error instanceof ImageBuildError || error instanceof DockerError
        ? error
        : new DockerError('failed', `The Docker Engine broke the build off: ${(error as Error).message}`)
    } finally {
      response.destroy()
    }
    signal?.throwIfAborted()
    if (id === undefined)
      throw new DockerError('failed', 'The Docker Engine ended the build without an image')
    return id
  }

  image(ref: string): Promise<ImageDetails | undefined> {
    return absentOr(this.http.json<ImageDetails>({ method: 'GET', path: ['images', ref, 'json'] }))
  }

  images(filters: Readonly<Record<string, readonly string[]>>): Promise<readonly ImageSummary[]> {
    const query = { filters: JSON.stringify(filters) }
    return this.http.json({ method: 'GET', path: ['images', 'json'], query })
  }

  /** Its layers, the newest first. */
  async history(ref: string): Promise<readonly ImageLayer[]> {
    const path = ['images', ref, 'history']
    return (await absentOr(this.http.json<readonly ImageLayer[]>({ method: 'GET', path }))) ?? []
  }

  async tag(ref: string, repo: string, tag: string): Promise<void> {
    await this.http.json({ method: 'POST', path: ['images', ref, 'tag'], query: { repo, tag } })
  }

  /** With the layers that nothing else needs. False where it is in use; one that is not there is no error. */
  async removeImage(ref: string): Promise<boolean> {
    const gone = this.http.json({ method: 'DELETE', path: ['images', ref], timeoutMs: 120 * SECOND })
    return gone.then(
      () => true,
      (error) => {
        if (isDockerError(error, 'absent')) return true
        if (isDockerError(error, 'conflict')) return false
        throw error
      },
    )
  }

  /** A tar of its layers, its settings and a list of these. */
  imageFiles(ref: string): Promise<Readable> {
    return this.http.stream({ method: 'GET', path: ['images', ref, 'get'], timeoutMs: CONTEXT_MS })
  }

  /** Fetches it from the registry that its name tells. False where that does not have it. */
  async pull(ref: string, registryAuth: string, signal?: AbortSignal): Promise<boolean> {
    const at = ref.lastIndexOf(':')
    const response = await absentOr(
      this.http.stream({
        method: 'POST',
        path: ['images', 'create'],
        query: { fromImage: ref.slice(0, at), tag: ref.slice(at + 1) },
        ...{ registryAuth, signal, timeoutMs: CONTEXT_MS },
      }),
    )
    if (response === undefined) return false
    for await (const progress of readProgress(response))
      if (progress.kind === 'error') throw new DockerError('failed', progress.message)
    return true
  }

  async createContainer(name: string, container: NewContainer): Promise<string> {
    const call = { method: 'POST', path: ['containers', 'create'], query: { name }, json: container } as const
    return (await this.http.json<{ readonly Id: string }>(call)).Id
  }

  /** Puts the files of a tar at its root, whether it runs or not. */
  async put(id: string, files: Readable): Promise<void> {
    const answer = await this.http.stream({
      ...{ method: 'PUT', path: ['containers', id, 'archive'], query: { path: '/' }, body: files },
      timeoutMs: 60 * SECOND,
    })
    answer.resume()
  }

  /** What it writes from its start on, as it writes it. Must be read, or it waits. */
  async attach(id: string): Promise<Split> {
    const query = { stream: 1, stdout: 1, stderr: 1 }
    return splitFrames(await this.http.hijack({ method: 'POST', path: ['containers', id, 'attach'], query }))
  }

  /** The last lines, of a container whose output is kept. */
  async logs(id: string, lines: number): Promise<Split> {
    const query = { stdout: 1, stderr: 1, tail: lines }
    return splitFrames(await this.http.stream({ method: 'GET', path: ['containers', id, 'logs'], query }))
  }

  /** Resolves once its end will be noticed, which it must be before it starts; `ended` has its exit code. */
  async watch(id: string): Promise<{ readonly ended: Promise<number> }> {
    const response = await this.http.stream({
      method: 'POST',
      path: ['containers', id, 'wait'],
      query: { condition: 'next-exit' },
    })
    const read = async () => {
      const { StatusCode, Error: failure } = JSON.parse(await text(response))
      if (failure?.Message) throw new DockerError('failed', failure.Message)
      return Number(StatusCode)
    }
    const ended = read()
    ended.catch(() => {})
    return { ended }
  }

  start(id: string): Promise<void> {
    return this.#act(id, 'start', {}, 60 * SECOND)
  }

  /** Asks it to end, and makes it after this time. */
  stop(id: string, graceMs: number): Promise<void> {
    const seconds = Math.min(Math.ceil(graceMs / SECOND), DAY / SECOND)
    return this.#act(id, 'stop', { t: seconds }, seconds * SECOND + 30 * SECOND)
  }

  kill(id: string): Promise<void> {
    return this.#act(id, 'kill')
  }

  container(id: string, { size = false } = {}): Promise<ContainerDetails | undefined> {
    const call = { method: 'GET', path: ['containers', id, 'json'], query: { size } } as const
    return absentOr(this.http.json<ContainerDetails>(call))
  }

  /** Milliseconds of the processor that it has had so far; undefined where the engine does not tell. */
  async processorMs(id: string): Promise<number | undefined> {
    const query = { stream: false, 'one-shot': true }
    const call = { method: 'GET', path: ['containers', id, 'stats'], query, timeoutMs: SECOND } as const
    const nanoseconds = (await this.http.json<ContainerStats>(call)).cpu_stats?.cpu_usage?.total_usage
    // Of a container that does not run it is 0.
    return nanoseconds ? nanoseconds / 1e6 : undefined
  }

  /** All with these labels, running or not. */
  containers(labels: Labels): Promise<readonly ContainerSummary[]> {
    const query = { all: 1, filters: JSON.stringify({ label: pairs(labels) }) }
    return this.http.json({ method: 'GET', path: ['containers', 'json'], query })
  }

  /** With its own volumes, whether it runs or not; one that is not there is no error. */
  async remove(id: string): Promise<void> {
    const query = { force: 1, v: 1 }
    const call = { method: 'DELETE', path: ['containers', id], query, timeoutMs: 60 * SECOND } as const
    await this.http.json(call).catch((error) => {
      // Being removed already is as good.
      if (!isDockerError(error, 'absent') && !isDockerError(error, 'conflict')) throw error
    })
  }

  /** What these volumes take, by the engine itself, which looks at all that there are. */
  async volumeBytes(names: readonly string[]): Promise<number> {
    const call = { method: 'GET', path: ['system', 'df'], query: { type: 'volume' } } as const
    const { Volumes } = await this.http.json<DiskUse>({ ...call, timeoutMs: 120 * SECOND })
    // -1 where it does not know.
    return (Volumes ?? [])
      .filter(({ Name }) => names.includes(Name))
      .reduce((sum, { UsageData }) => sum + Math.max(0, UsageData?.Size ?? 0), 0)
  }

  network(name: string): Promise<NetworkDetails | undefined> {
    return absentOr(this.http.json<NetworkDetails>({ method: 'GET', path: ['networks', name] }))
  }

  async createNetwork(network: Readonly<Record<string, unknown>>): Promise<void> {
    await this.http.json({ method: 'POST', path: ['networks', 'create'], json: network })
  }

  /** False where containers are still in it. */
  removeNetwork(name: string): Promise<boolean> {
    return this.http.json({ method: 'DELETE', path: ['networks', name] }).then(
      () => true,
      (error) => {
        if (isDockerError(error, 'absent')) return true
        if (isDockerError(error, 'refused')) return false
        throw error
      },
    )
  }

  async #act(id: string, verb: string, query = {}, timeoutMs?: number): Promise<void> {
    const path = ['containers', id, verb]
    await this.http.json({ method: 'POST', path, query, ...(timeoutMs === undefined ? {} : { timeoutMs }) })
  }
}

export const pairs = (labels: Labels): readonly string[] =>
  Object.entries(labels).map(([name, value]) => `${name}=${value}`)

const absentOr = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error) => {
    if (isDockerError(error, 'absent')) return undefined
    throw error
  })
