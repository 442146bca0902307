import { answerTo, createAsk, type Topic } from '#adapters/ipc/ask.ts'
import type { Channel } from '#adapters/ipc/channel.ts'
import { SECOND } from '#contract/time.ts'
import type { Log } from '#core/ports/log.ts'
import { DRAIN_MS, type SupervisedChild } from './child/child.ts'

/** Asked of the supervisor; answered with the reason why nothing was restarted, if so. */
const RESTART: Topic<string | null> = { name: 'restart' }

/** A reason why a restart was not begun, or was taken back, in words for the operator. */
export class RestartRefused extends Error {
  override readonly name = 'RestartRefused'
}

interface RestartParts {
  /** Everything that runs. */
  readonly children: SupervisedChild[]
  /** Throws `RestartRefused` where new processes could not take the place of those that run. */
  check(): void
  /** Whether everything is to end. */
  isStopping(): boolean
  create(): NextProcesses
  readonly log: Log
}

interface NextProcesses {
  /** In the order in which they are started; none of them is among the children yet. */
  readonly processes: readonly SupervisedChild[]
  /** One of them is ready. */
  onReady(): void
  /** All of them are. */
  onTaken(): void
  /** Only the new ones, or only the old ones are left. */
  onEnded(): void
}

interface Restart {
  /**
   * Replaces all processes by new ones, of whatever version lies on the disk now, and resolves when these have taken
   * over. They listen on the same sockets before the old ones let go of them, so that no connection is refused. Either
   * all are replaced or none; it rejects then.
   */
  readonly now: () => Promise<void>
  /** Until the old ones have ended. */
  isUnderWay(): boolean
}

export function createRestart({ children, check, isStopping, create, log }: RestartParts): Restart {
  let underWay: Promise<void> | undefined
  let retired: Promise<void> | undefined

  async function restart(): Promise<void> {
    // What the restart before has left is still being ended.
    await retired
    check()
    const before = [...children]
    const { processes, onReady, onTaken, onEnded } = create()
    for (const child of processes) {
      // What is begun while everything ends would be ended by nobody.
      if (!isStopping()) {
        children.push(child)
        if (await child.begin()) {
          onReady()
          continue
        }
      }
      await Promise.all(processes.map((each) => end(each)))
      onEnded()
      throw new RestartRefused(
        isStopping() ? 'the server is being stopped' : 'a new process could not start; the log says why',
      )
    }
    onTaken()
    log.info({}, 'new processes have taken over; the old ones are stopping')
    // Not waited for: it takes as long as the last request.
    retired = retire(before).finally(() => {
      retired = undefined
      onEnded()
    })
  }

  const end = async (child: SupervisedChild, succeeded = false) => {
    await child.stop(DRAIN_MS + 5 * SECOND, { succeeded })
    const place = children.indexOf(child)
    if (place >= 0) children.splice(place, 1)
  }

  /** Functions run in the working process: it stays until the last visitor has been answered. */
  async function retire(before: readonly SupervisedChild[]): Promise<void> {
    for (const role of ['serve', 'work'] as const)
      await Promise.all(before.filter((child) => child.role === role).map((child) => end(child, true)))
    log.info({}, 'the old processes have stopped')
  }

  return {
    now() {
      underWay ??= restart()
        .catch((err: unknown) => {
          if (!isStopping()) log.error({ err }, 'nothing was restarted: the running processes continue')
          throw err
        })
        .finally(() => {
          underWay = undefined
        })
      return underWay
    },
    isUnderWay: () => underWay !== undefined || retired !== undefined,
  }
}

/** The supervisor's part: restarts when one of its processes is asked to. */
export const serveRestart = (restart: () => Promise<void>) => ({
  attach: (channel: Channel): void =>
    answerTo(channel, RESTART, () =>
      restart().then(
        () => null,
        ({ message }: Error) => message,
      ),
    ),
})

/** In a process: asks for a restart of all of this machine, and answers why there is none. */
export function createAskRestart(channel: Channel | undefined): () => Promise<string | undefined> {
  const ask = channel && createAsk(channel, RESTART)
  return async () =>
    ask ? ((await ask()) ?? undefined) : 'this process runs without a supervisor, so nothing can restart it'
}
