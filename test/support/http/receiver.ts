import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly url: string
  /** Everything that came, in the order it came. */
  readonly received: Received[]
  /** What the next requests are answered with; 200 until said. */
  answer(status: number, headers?: Record<string, string>): void
  /** Keeps those who come from now on waiting, until what this answers is called. */
  hold(): () => void
  close(): Promise<void>
}

/** Somebody out there who is sent webhooks or logs. */
export async function startReceiver(): Promise<Receiver> {
  let next: { status: number; headers: Record<string, string> } = { status: 200, headers: {} }
  const received: Received[] = []
  let held: Promise<void> | undefined
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = []
    for await (const part of req) parts.push(part)
    received.push({ path: req.url ?? '', headers: req.headers, body: Buffer.concat(parts).toString() })
    await held
    res.writeHead(next.status, next.headers).end(`answer ${received.length}`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer(status, headers = {}) {
      next = { status, headers }
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return () => {
        held = undefined
        resolve()
      }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
