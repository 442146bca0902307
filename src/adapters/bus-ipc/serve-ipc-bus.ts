import type { Channel } from '../limit-ipc/channel.ts'
import { isBusMessage } from './message.ts'

export interface IpcBusHub {
  /** Adds a process. The result takes it out again; call it when the process ends. */
  attach(channel: Channel): () => void
}

/** Passes what one attached process publishes on to all of them, the sender included. */
export function serveIpcBus(channels: Iterable<Channel> = []): IpcBusHub {
  const attached = new Set<Channel>()

  const attach = (channel: Channel) => {
    attached.add(channel)
    channel.onMessage((message) => {
      if (!attached.has(channel) || !isBusMessage(message)) return
      for (const each of attached) send(each, message)
    })
    return () => {
      attached.delete(channel)
    }
  }

  for (const channel of channels) attach(channel)
  return { attach }
}

function send(channel: Channel, message: unknown): void {
  try {
    channel.send(message)
  } catch {
    // That process is ending. It will read the state anew when it is back.
  }
}
