import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { showLimit } from '#contract/amounts.ts'
import type { CallDeployment } from '#core/cron/run-job.ts'
import { createVisitLog } from '#core/log/write/visit-log.ts'
import type { SiteSource } from '#core/site/site.ts'
import type { Config } from '../../config/config.ts'
import type { Parts } from './parts.ts'
import { type OwnEdge, openOwnEdge } from './serving/own-edge.ts'

/** Of an answer that nobody looks at. */
const LARGEST_ANSWER = 64 * 1024 * 1024

/**
 * Requests deployments on behalf of the platform itself, through an edge of its own that passes what protects them. It
 * is there only while something is under way, and its visits are in the log as all others are.
 */
export function createCallDeployment(config: Config, parts: Parts): CallDeployment {
  const { clock, log, logWriter, logAllowance, traffic } = parts
  let users = 0
  let opened: Promise<OwnEdge> | undefined

  async function withEdge<T>(use: (edge: OwnEdge) => Promise<T>): Promise<T> {
    users++
    opened ??= openOwnEdge(config, parts, {
      name: 'visits',
      sites: unprotected(parts.sites),
      visits: createVisitLog({
        ...{ writer: logWriter, clock, region: config.origin, traffic },
        allowance: logAllowance,
      }),
    })
    const edge = opened
    try {
      return await use(await edge)
    } finally {
      if (--users === 0) {
        opened = undefined
        await edge.then((open) => open.close()).catch((err) => log.warn({ err }, 'an edge did not close'))
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
