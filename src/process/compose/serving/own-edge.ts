import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRunnerClient } from '#adapters/runner-process/client/runner-client.ts'
import { SECOND } from '#contract/time.ts'
import { createEdge, type EdgeOptions } from '#edge/edge.ts'
import { publicAddressOf } from '#edge/prerender/canonical-visitor.ts'
import { hostNameOf } from '#edge/request/host.ts'
import type { Config } from '../../../config/config.ts'
import { openAllows, openLookUp } from '../outbound.ts'
import type { Parts } from '../parts.ts'
import { findRunnerSocket } from '../runner-socket.ts'

/** For few answers at a time. */
const BUDGET = 8 * 1024 * 1024

export interface OwnEdge {
  /** In a folder of its own, within one that is closed to everybody else. */
  readonly socket: string
  close(): Promise<void>
}

interface OwnEdgeOptions extends Pick<EdgeOptions, 'sites' | 'visits'> {
  /** What its folder is called. */
  readonly name: string
  /** It answers for no other host. */
  readonly only?: string
}

/** An edge for what the platform itself asks of sites, on a Unix socket. */
export async function openOwnEdge(
  config: Config,
  parts: Parts,
  { sites, visits, name, only }: OwnEdgeOptions,
): Promise<OwnEdge> {
  const { blobs, bus, clock, log } = parts
  const runner = createRunnerClient({ socket: findRunnerSocket(config.dataDir, undefined), logger: log })
  const edge = createEdge({
    ...{ sites, blobs, bus, clock, log, runner, visits },
    origin: config.origin,
    address: publicAddressOf(config.baseUrl),
    proxy: { allows: openAllows(config), resolve: openLookUp() },
    budgetBytes: BUDGET,
    keepAliveMs: SECOND,
  })
  const server = createServer((req, res) => {
    if (only === undefined || hostNameOf(req.headers.host) === only) return void edge.handle(req, res)
    res.writeHead(403).end()
  })
  server.requestTimeout = 0
  const folder = await mkdtemp(join(tmpdir(), `aloft-${name}-`))
  const inner = join(folder, 'site')
  await mkdir(inner)
  const socket = join(inner, 'site.sock')
  server.listen(socket)
  await once(server, 'listening')
  return {
    socket,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      await edge.close()
      runner.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
