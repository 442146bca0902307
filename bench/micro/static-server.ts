/** The edge with one site in memory, as a process of its own for `bench/micro/static.ts` to measure. */
import { readFileSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import { createServer as createHttp2 } from 'node:http2'
import { createServer as createNet } from 'node:net'
import { createServer as createTls } from 'node:tls'
import type { SiteVisit } from '#core/site/site.ts'
import { createEdgeWorld, KEEP_ALIVE_MS } from '#test/support/http/edge.ts'

const [cert, key, httpPort, tlsPort, ...files] = process.argv.slice(2) as [string, string, string, string]

/** Visits are gathered and let go of in batches, as the platform's log does. */
let batch: SiteVisit[] = []
const world = createEdgeWorld({
  visits: {
    record(visit) {
      batch.push(visit)
      if (batch.length >= 1000) batch = []
    },
  },
})
const contents = Object.fromEntries(files.map((file, index) => [`f${index}`, readFileSync(file)]))
world.addSite('localhost', contents)

const http = createHttp({ keepAliveTimeout: KEEP_ALIVE_MS })
http.on('request', (req, res) => void world.edge.handle(req, res))
const http2 = createHttp2()
http2.on('request', (req, res) => void world.edge.handle(req, res))
const [compat] = http2.listeners('stream') as [(...args: unknown[]) => void]
http2.off('stream', compat)
http2.on('stream', (stream, headers, ...rest) => {
  if (!world.edge.fastStreams.take(stream, headers)) compat.call(http2, stream, headers, ...rest)
})

const take = (socket: Parameters<typeof world.edge.fastPath.take>[0]) =>
  world.edge.fastPath.take(socket, (given) => http.emit('connection', given))

createNet({ allowHalfOpen: true, noDelay: true }, take).listen(Number(httpPort), '127.0.0.1')
createTls(
  {
    cert: readFileSync(cert),
    key: readFileSync(key),
    ALPNProtocols: ['h2', 'http/1.1'],
    allowHalfOpen: true,
    noDelay: true,
  },
  (socket) => {
    if (socket.alpnProtocol === 'h2') http2.emit('connection', socket)
    else take(socket)
  },
).listen(Number(tlsPort), '127.0.0.1', () => console.log('ready'))
