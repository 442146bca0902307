import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What becomes of a request: it is passed on, its connection is cut, it is to come back after a second, or its connection is cut
 * in the middle of the answer.
 */
export type Fate = 'pass' | 'cut' | 'limit' | 'break'

export interface FlakyProxy {
  readonly url: string
  /** Every request that came, as in `POST /v2/platform/files`. */
  readonly seen: readonly string[]
  close(): Promise<void>
}

/** Stands before a server and does to requests what happens on bad days. */
export async function startFlakyProxy(target: string, fateOf: (on: string) => Fate): Promise<FlakyProxy> {
  const seen: string[] = []
  const proxy = createServer((req, res) => {
    const on = `${req.method} ${(req.url ?? '').split('?')[0]}`
    seen.push(on)
    const fate = fateOf(on)
    if (fate === 'cut') return void req.socket.destroy()
    if (fate === 'limit') {
      req.resume()
      res.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
      return void res.end('{"error":{"code":"rate_limited","message":"Too many requests."}}')
    }
    const { host: _host, ...headers } = req.headers
    const onward = request(new URL(req.url ?? '/', target), { method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      if (fate === 'pass') return void answer.pipe(res)
      answer.once('data', (chunk: Buffer) =>
        res.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => res.destroy()),
      )
    })
    onward.on('error', () => res.destroy())
    res.on('close', () => onward.destroy())
    req.pipe(onward)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    seen,
    async close() {
      proxy.closeAllConnections()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
