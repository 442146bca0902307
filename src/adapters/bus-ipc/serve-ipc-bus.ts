import type { Channel } from '../ipc/channel.ts'
import { GAP, isBusMessage } from './message.ts'

interface IpcBusHub {
  /**
   * Adds a process. The result takes it out again; call it when the process ends. One that has died may have written a
   * change without telling of it, so that the others are told to look again.
   */
  attach(channel: Channel): (hasDied?: boolean) => void
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
    return (hasDied = false) => {
      if (!attached.delete(channel) || !hasDied) return
      for (const each of attached) send(each, GAP)
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
