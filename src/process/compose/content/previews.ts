import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { dirname } from 'node:path'
import { SECOND } from '#contract/time.ts'
import type { Screenshots } from '#core/ports/screenshots.ts'
import { findIcon, type VisitSite } from '#core/preview/find-icon.ts'
import type { MakePreview } from '#core/preview/preview-job.ts'
import { readAtMost } from '#core/read-at-most.ts'
import type { Config } from '../../../config/config.ts'
import type { Parts } from '../parts.ts'
import { openOwnEdge } from '../serving/own-edge.ts'

const VISIT_WITHIN = 10 * SECOND

/**
 * Looks at a site through an edge of its own, which answers for no other name, lets nobody into what is protected, and
 * counts no visits. The browser is handed the same edge, and nothing else of the network.
 */
export const createMakePreview =
  (config: Config, parts: Parts, screenshots: Screenshots | undefined): MakePreview =>
  async (host, signal) => {
    const { sites } = parts
    const visits = { record() {} }
    const site = await openOwnEdge(config, parts, { name: 'preview', sites, visits, only: host })
    try {
      // The user of a sandbox comes in by a bind of this folder.
      await chmod(dirname(site.socket), 0o755)
      await chmod(site.socket, 0o666)
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

const visitOver =
  (socketPath: string, host: string): VisitSite =>
  async (path, maxBytes, signal) => {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(VISIT_WITHIN)])
    const headers = { host, accept: 'text/html,image/*;q=0.9,*/*;q=0.1', 'accept-encoding': 'identity' }
    const asked = request({ socketPath, path, headers, signal: ended, agent: false })
    try {
      asked.end()
      const [response] = (await once(asked, 'response', { signal: ended })) as [IncomingMessage]
      return {
        status: response.statusCode ?? 0,
        type: response.headers['content-type'] ?? '',
        location: response.headers.location,
        body: await readAtMost(response, maxBytes, () => new Error('The site says too much')),
      }
    } catch {
      signal.throwIfAborted()
      return undefined
    } finally {
      asked.destroy()
    }
  }
