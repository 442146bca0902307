import type { Channel } from '#adapters/ipc/channel.ts'

type Listener = (message: unknown) => void

/** Two ends of a line inside one process that carries what a line between processes would. */
export function createChannelPair(): readonly [Channel, Channel] {
  const left: Listener[] = []
  const right: Listener[] = []
  const end = (own: Listener[], other: readonly Listener[]): Channel => ({
    send(message) {
      const text = JSON.stringify(message)
      setImmediate(() => {
        for (const listener of other) listener(JSON.parse(text))
      })
    },
    onMessage: (listener) => void own.push(listener),
  })
  return [end(left, right), end(right, left)]
}
