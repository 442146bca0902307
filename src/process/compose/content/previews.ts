import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRunnerClient } from '#adapters/runner-process/client/runner-client.ts'
import { SECOND } from '#contract/time.ts'
import type { Screenshots } from '#core/ports/screenshots.ts'
import { findIcon, type Visited, type VisitSite } from '#core/preview/find-icon.ts'
import type { MakePreview } from '#core/preview/preview-job.ts'
import { createEdge } from '#edge/edge.ts'
import { publicAddressOf } from '#edge/prerender/canonical-visitor.ts'
import { hostNameOf } from '#edge/request/host.ts'
import type { Config } from '../../../config/config.ts'
import { openAllows, openLookUp } from '../outbound.ts'
import type { Parts } from '../parts.ts'
import { findRunnerSocket } from '../runner-socket.ts'

/** For one site, for a moment. */
const BUDGET = 8 * 1024 * 1024
const VISIT_WITHIN = 10 * SECOND

/**
 * Looks at a site through an edge of its own, which answers for no other name, lets nobody into what is protected, and
 * counts no visits. The browser is handed the same edge, and nothing else of the network.
 */
export const createMakePreview =
  (config: Config, parts: Parts, screenshots: Screenshots | undefined): MakePreview =>
  async (host, signal) => {
    const site = await openSite(config, parts, host)
    try {
      const picture = await screenshots
        ?.photograph({ host, socket: site.socket }, signal)
        .catch((err: unknown) => {
          parts.log.warn({ err, host }, 'a screenshot of a site could not be taken')
          return undefined
        })
      return picture ?? (await findIcon(host, visitOver(site.socket, host), signal))
    } finally {
      await site.close()
    }
  }

interface OpenSite {
  readonly socket: string
  close(): Promise<void>
}

async function openSite(config: Config, parts: Parts, host: string): Promise<OpenSite> {
  const { sites, blobs, bus, clock, log } = parts
  const runner = createRunnerClient({ socket: findRunnerSocket(config.dataDir, undefined), logger: log })
  const edge = createEdge({
    ...{ sites, blobs, bus, clock, log, runner },
    origin: config.origin,
    address: publicAddressOf(config.baseUrl),
    proxy: { allows: openAllows(config), resolve: openLookUp() },
    visits: { record() {} },
    budgetBytes: BUDGET,
    keepAliveMs: SECOND,
  })
  const server = createServer((req, res) => {
    if (hostNameOf(req.headers.host) === host) return void edge.handle(req, res)
    res.writeHead(403).end()
  })
  const folder = await mkdtemp(join(tmpdir(), 'aloft-preview-'))
  // The user of a sandbox comes in by a bind of the inner folder; the outer one is closed to everybody else.
  const inner = join(folder, 'site')
  await mkdir(inner)
  await chmod(inner, 0o755)
  const socket = join(inner, 'site.sock')
  server.listen(socket)
  await once(server, 'listening')
  await chmod(socket, 0o666)
  return {
    socket,
    async close() {
      await closeServer(server)
      await edge.close()
      runner.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function closeServer(server: Server): Promise<void> {
  const done = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await done
}

const visitOver =
  (socketPath: string, host: string): VisitSite =>
  async (path, maxBytes, signal) => {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(VISIT_WITHIN)])
    const headers = { host, accept: 'text/html,image/*;q=0.9,*/*;q=0.1', 'accept-encoding': 'identity' }
    const asked = request({ socketPath, path, headers, signal: ended, agent: false })
    try {
      asked.end()
      const [response] = (await once(asked, 'response', { signal: ended })) as [IncomingMessage]
      return await readAnswer(response, maxBytes)
    } catch {
      signal.throwIfAborted()
      return undefined
    } finally {
      asked.destroy()
    }
  }

async function readAnswer(response: IncomingMessage, maxBytes: number): Promise<Visited | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBytes) return undefined
    parts.push(part)
  }
  return {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'] ?? '',
    location: response.headers.location,
    body: Buffer.concat(parts),
  }
}
