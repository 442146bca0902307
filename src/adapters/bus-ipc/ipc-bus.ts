import type { Bus } from '#core/ports/bus.ts'
import type { Log } from '#core/ports/log.ts'
import { createListeners } from '../bus/listeners.ts'
import type { Channel } from '../ipc/channel.ts'
import { busMessage, GAP, isBusMessage, isGap } from './message.ts'

interface IpcBusOptions {
  readonly channel: Channel
  readonly log: Log
}

/** Publishes to the process at the other end, which tells all it serves, this one too: see `serveIpcBus`. */
export function createIpcBus({ channel, log }: IpcBusOptions): Bus {
  const listeners = createListeners(log)
  const gaps = createListeners(log)
  let closed = false

  channel.onMessage((message) => {
    if (isBusMessage(message)) listeners.tell(message.topic, message.message)
    else if (isGap(message)) gaps.tell(GAP.kind, '')
  })

  return {
    publish(topic, message) {
      if (closed) return
      try {
        channel.send(busMessage(topic, message))
      } catch (err) {
        // Whoever publishes has done its work: that others hear late of it must not undo it.
        log.warn({ err, topic }, 'a message on the bus is lost: the supervisor cannot be reached')
      }
    },
    subscribe: listeners.add,
    onGap: (listener) => gaps.add(GAP.kind, listener),
    async close() {
      closed = true
      listeners.clear()
      gaps.clear()
    },
  }
}
