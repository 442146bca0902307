import { BuildFailure } from '#core/ports/builder.ts'
import { RunnerError } from '#core/ports/runner.ts'
import { ownProcess } from '../labels.ts'
import type { ContainerLaunch } from './container-launch.ts'

/** All that this process runs on an engine or a swarm. */
export class Launches {
  /** The name of this process in labels. */
  readonly process = ownProcess()
  readonly #running = new Set<ContainerLaunch>()
  readonly #closing = new AbortController()
  #count = 0

  /** Starts one, which is given what tells it from the others of this process. Rejects with a `RunnerError`. */
  async add(
    signal: AbortSignal | undefined,
    start: (own: string, stopped: AbortSignal) => Promise<ContainerLaunch>,
  ): Promise<ContainerLaunch> {
    try {
      const stopped = AbortSignal.any([...(signal ? [signal] : []), this.#closing.signal])
      stopped.throwIfAborted()
      const launched = await start((this.#count++).toString(36), stopped)
      this.#running.add(launched)
      void launched.exit.then(() => this.#running.delete(launched))
      if (stopped.aborted) launched.kill()
      return launched
    } catch (error) {
      throw launchError(error)
    }
  }

  /** Ends them all, and has no other begin. */
  async close(): Promise<void> {
    this.#closing.abort(new RunnerError('unavailable', 'The platform stops'))
    const all = [...this.#running]
    for (const launched of all) launched.kill()
    await Promise.all(all.map(({ exit }) => exit))
  }
}

/** What whoever wanted an instance is told when there is none. */
const launchError = (error: unknown): RunnerError =>
  error instanceof BuildFailure && error.code !== 'docker_unavailable'
    ? new RunnerError('crashed', `The image could not be made again: ${error.message}`)
    : new RunnerError('unavailable', (error as Error).message, { cause: error })
