import type { ChildProcess } from 'node:child_process'
import type { Channel } from '#adapters/ipc/channel.ts'

/** The end in a process that the supervisor started. */
export function channelToSupervisor(): Channel {
  return {
    send: (message) => {
      if (process.connected) process.send?.(message as object, () => {})
    },
    onMessage: toEach((listener) => process.on('message', listener)),
  }
}

/** The supervisor's end. What is sent to a process that has just died is dropped. */
export const channelToChild = (child: ChildProcess): Channel => ({
  send: (message) => {
    if (child.connected) child.send(message as object, () => {})
  },
  onMessage: toEach((listener) => child.on('message', listener)),
})

type Listener = (message: unknown) => void

/** Listens once, however many parts of a process want to hear. */
function toEach(listen: (listener: Listener) => void): (listener: Listener) => void {
  const listeners: Listener[] = []
  return (listener) => {
    const first = listeners.push(listener) === 1
    if (first) listen((message) => listeners.forEach((each) => void each(message)))
  }
}
