import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/**
 * What becomes of a request: it is passed on, its connection is cut, it is to come back after a second, it is refused for good,
 * its connection is cut in the middle of the answer, a bit of its body is changed on the way, or it is never answered.
 */
export type Fate = 'pass' | 'cut' | 'limit' | 'refuse' | 'break' | 'change' | 'hold'

export interface FlakyProxy {
  readonly url: string
  /** Every request that came, as in `POST /v2/platform/files`. */
  readonly seen: readonly string[]
  close(): Promise<void>
}

/**
 * Stands before a server and does to requests what happens on bad days. A body that is not what its checksum for S3 says is
 * refused in the words of S3, since moto does not look.
 */
export async function startFlakyProxy(
  target: string,
  fateOf: (on: string, query: URLSearchParams) => Fate,
): Promise<FlakyProxy> {
  const seen: string[] = []
  const proxy = createServer(async (req, res) => {
    const [path = '', query] = (req.url ?? '').split('?')
    const on = `${req.method} ${path}`
    seen.push(on)
    const fate = fateOf(on, new URLSearchParams(query))
    if (fate === 'cut') return void req.socket.destroy()
    if (fate === 'hold') return void req.resume()
    if (fate === 'limit') {
      req.resume()
      res.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
      return void res.end('{"error":{"code":"rate_limited","message":"Too many requests."}}')
    }
    if (fate === 'refuse') {
      req.resume()
      return void res.writeHead(403).end()
    }
    const { host: _host, ...headers } = req.headers
    const { 'x-amz-content-sha256': checksum } = headers
    const body = checksum === undefined ? undefined : await buffer(req).catch(() => undefined)
    if (body && fate === 'change') body[0] = (body[0] ?? 0) ^ 1
    if (body && hash('sha256', body) !== checksum) {
      res.writeHead(400, { 'content-type': 'application/xml' })
      return void res.end('<Error><Code>XAmzContentSHA256Mismatch</Code><Message>Changed.</Message></Error>')
    }
    const onward = request(new URL(req.url ?? '/', target), { method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      if (fate !== 'break') return void answer.pipe(res)
      answer.once('data', (chunk: Buffer) =>
        res.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => res.destroy()),
      )
    })
    onward.on('error', () => res.destroy())
    res.on('close', () => onward.destroy())
    if (body) onward.end(body)
    else req.pipe(onward)
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
