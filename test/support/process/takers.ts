import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Channel } from '#adapters/ipc/channel.ts'
import type { Window } from '#contract/limit/limits.ts'

export interface TakerCommand {
  readonly kind: 'taker.take'
  readonly key: string
  readonly window: Window
  readonly times: number
}

export interface Taker {
  /** Takes many times in parallel; resolves with how many were allowed. */
  take(key: string, window: Window, times: number): Promise<number>
  end(): Promise<void>
}

/** Starts `taker.ts` in a process of its own. Without a Redis socket it asks over its channel to us. */
export async function forkTaker({
  socket,
  onChannel,
}: {
  readonly socket?: string
  readonly onChannel?: (channel: Channel) => void
}): Promise<Taker> {
  const child = fork(
    fileURLToPath(new URL('./taker.ts', import.meta.url)),
    socket === undefined ? [] : [socket],
  )
  const received = (kind: string) =>
    new Promise<{ allowed: number }>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the taker ended with ${code}`)))
      child.on('message', (message: { kind: string; allowed: number }) => {
        if (message.kind === kind) resolve(message)
      })
    })
  onChannel?.({
    send: (message) => void child.send(message as object),
    onMessage: (listener) => void child.on('message', listener),
  })
  await received('taker.ready')
  return {
    async take(key, window, times) {
      const took = received('taker.took')
      child.send({ kind: 'taker.take', key, window, times } satisfies TakerCommand)
      return (await took).allowed
    },
    async end() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
