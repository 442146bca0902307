import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRunnerClient } from '#adapters/runner-process/client/runner-client.ts'
import { showLimit } from '#contract/amounts.ts'
import { SECOND } from '#contract/time.ts'
import type { CallDeployment } from '#core/cron/run-job.ts'
import { createVisitLog } from '#core/log/write/visit-log.ts'
import type { SiteSource } from '#core/site/site.ts'
import { createEdge } from '#edge/edge.ts'
import { publicAddressOf } from '#edge/prerender/canonical-visitor.ts'
import type { Config } from '../../config/config.ts'
import { openAllows, openLookUp } from './outbound.ts'
import type { Parts } from './parts.ts'
import { findRunnerSocket } from './runner-socket.ts'

/** For few answers at a time. */
const BUDGET = 8 * 1024 * 1024
/** Of an answer that nobody looks at. */
const LARGEST_ANSWER = 64 * 1024 * 1024

interface OpenEdge {
  readonly socket: string
  close(): Promise<void>
}

/**
 * Requests deployments on behalf of the platform itself, through an edge of its own that passes what protects them. It
 * is there only while something is under way, and its visits are in the log as all others are.
 */
export function createCallDeployment(config: Config, parts: Parts): CallDeployment {
  let users = 0
  let opened: Promise<OpenEdge> | undefined

  async function withEdge<T>(use: (edge: OpenEdge) => Promise<T>): Promise<T> {
    users++
    opened ??= openEdge(config, parts)
    const edge = opened
    try {
      return await use(await edge)
    } finally {
      if (--users === 0) {
        opened = undefined
        await edge
          .then((open) => open.close())
          .catch((err) => parts.log.warn({ err }, 'an edge did not close'))
      }
    }
  }

  return ({ host, path, headers, signal }) =>
    withEdge(async ({ socket: socketPath }) => {
      const asked = request({ socketPath, path, headers: { host, ...headers }, signal, agent: false })
      asked.end()
      const [response] = (await once(asked, 'response', { signal })) as [IncomingMessage]
      let size = 0
      for await (const part of response as AsyncIterable<Buffer>) {
        size += part.length
        if (size > LARGEST_ANSWER) throw new Error(`it was longer than ${showLimit(LARGEST_ANSWER)}`)
      }
      const id = response.headers['x-platform-id']
      return { status: response.statusCode ?? 0, requestId: typeof id === 'string' ? id : null }
    })
}

/** The sites as they are for those who pass whatever protects them. */
const unprotected = ({ find }: SiteSource): SiteSource => ({
  async find(host) {
    const site = await find(host)
    if (site === undefined) return undefined
    const { protection: _, redirect: __, ...open } = site
    return open
  },
})

async function openEdge(config: Config, parts: Parts): Promise<OpenEdge> {
  const { blobs, bus, clock, log, logWriter, logAllowance, traffic } = parts
  const runner = createRunnerClient({ socket: findRunnerSocket(config.dataDir, undefined), logger: log })
  const edge = createEdge({
    ...{ sites: unprotected(parts.sites), blobs, bus, clock, log, runner },
    origin: config.origin,
    address: publicAddressOf(config.baseUrl),
    proxy: { allows: openAllows(config), resolve: openLookUp() },
    visits: createVisitLog({
      ...{ writer: logWriter, clock, region: config.origin, traffic },
      allowance: logAllowance,
    }),
    budgetBytes: BUDGET,
    keepAliveMs: SECOND,
  })
  const server = createServer((req, res) => void edge.handle(req, res))
  server.requestTimeout = 0
  const folder = await mkdtemp(join(tmpdir(), 'aloft-visits-'))
  await chmod(folder, 0o700)
  const socket = join(folder, 'site.sock')
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
