import { Readable } from 'node:stream'

/** Server-sent events on their way to one client. */
interface EventStream {
  readonly body: Readable
  send(event: string, data: unknown): void
  /** A line that clients pass over, so that nobody on the way takes the line for dead. */
  comment(): void
  end(): void
}

/** Who lets more than this pile up does not read, and is dropped. */
const MOST_WAITING = 64 * 1024

/** When a client connects again, in ms. */
const RETRY = 2000

export function createEventStream(onGone: () => void, mostWaiting: number = MOST_WAITING): EventStream {
  let over = false
  const body = new Readable({
    read() {},
    destroy(error, done) {
      onGone()
      done(error)
    },
  })

  function push(text: string): void {
    if (over || body.destroyed) return
    if (body.readableLength + text.length > mostWaiting) body.destroy()
    else body.push(text)
  }

  push(`retry: ${RETRY}\n\n`)
  return {
    body,
    send: (event, data) => push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    comment: () => push(':\n\n'),
    end() {
      if (over || body.destroyed) return
      over = true
      body.push(null)
    },
  }
}
