import { DockerError, isDockerError } from '../docker/engine/docker-error.ts'
import { pairs } from '../docker/engine/engine.ts'
import type { EngineHttp } from '../docker/engine/engine-http.ts'
import type { Labels } from '../docker/engine/engine-types.ts'
import { type Split, splitFrames } from '../docker/engine/frames.ts'
import type { ServiceSummary, SwarmNode, Task } from './swarm-types.ts'

/** What a manager of a swarm does. All reject with a `DockerError`; an engine that is none refuses everything. */
export class SwarmEngine {
  readonly #http: EngineHttp

  constructor(http: EngineHttp) {
    this.#http = http
  }

  async createService(spec: object, registryAuth: string): Promise<string> {
    const path = ['services', 'create']
    const call = { method: 'POST', path, json: spec, registryAuth } as const
    return (await this.#http.json<{ readonly ID: string }>(call)).ID
  }

  services(labels: Labels): Promise<readonly ServiceSummary[]> {
    return this.#http.json({ method: 'GET', path: ['services'], query: labelled(labels) })
  }

  /** One that is not there is no error. */
  async removeService(id: string): Promise<void> {
    await this.#http.json({ method: 'DELETE', path: ['services', id] }).catch(unlessAbsent)
  }

  /** Those of removed services too, until nothing is left of them. */
  async tasks(labels: Labels): Promise<readonly Task[]> {
    return (await this.#http.json({ method: 'GET', path: ['tasks'], query: labelled(labels) })) ?? []
  }

  /** What it has written and writes. */
  async taskOutput(id: string, signal: AbortSignal): Promise<Split> {
    const query = { follow: 1, stdout: 1, stderr: 1 }
    const call = { method: 'GET', path: ['tasks', id, 'logs'], query, signal } as const
    return splitFrames(await this.#http.stream(call))
  }

  nodes(): Promise<readonly SwarmNode[]> {
    return this.#http.json({ method: 'GET', path: ['nodes'] })
  }

  async node(id: string): Promise<SwarmNode | undefined> {
    return this.#http.json<SwarmNode>({ method: 'GET', path: ['nodes', id] }).catch(unlessAbsent)
  }

  /** Nothing happens where somebody else changes it at the same time. */
  async labelNode({ ID, Version, Spec }: SwarmNode, labels: Labels): Promise<void> {
    const json = { ...Spec, Labels: labels }
    const query = { version: Version.Index }
    await this.#http.json({ method: 'POST', path: ['nodes', ID, 'update'], query, json }).catch((error) => {
      if (!/out of sequence/.test((error as Error).message)) throw error
    })
  }

  /** A file for tasks, by its name; made where there is none. Answers its id. */
  async ensureConfig(name: string, content: Buffer, labels: Labels): Promise<string> {
    const json = { Name: name, Labels: labels, Data: content.toString('base64') }
    try {
      const call = { method: 'POST', path: ['configs', 'create'], json } as const
      return (await this.#http.json<{ readonly ID: string }>(call)).ID
    } catch (error) {
      if (!isTaken(error)) throw error
      return (await this.#http.json<{ readonly ID: string }>({ method: 'GET', path: ['configs', name] })).ID
    }
  }

  /** A network of the whole swarm that each node makes as its own settings of this name say. */
  async ensureNetwork(name: string, settings: string): Promise<void> {
    const json = { Name: name, Driver: 'bridge', Scope: 'swarm', ConfigFrom: { Network: settings } }
    const call = { method: 'POST', path: ['networks', 'create'], json } as const
    await this.#http.json(call).catch((error) => {
      if (!isTaken(error)) throw error
    })
  }
}

/** Managers that make the same at the same time are told in different words. */
const isTaken = (error: unknown): boolean =>
  error instanceof DockerError &&
  (error.kind === 'conflict' || /already exists|name conflicts/.test(error.message))

const labelled = (labels: Labels) => ({ filters: JSON.stringify({ label: pairs(labels) }) })

const unlessAbsent = (error: unknown): undefined => {
  if (!isDockerError(error, 'absent')) throw error
}
