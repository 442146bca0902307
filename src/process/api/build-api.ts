import { fileURLToPath } from 'node:url'
import type { Channel } from '#adapters/ipc/channel.ts'
import { createDashboard } from '#http/dashboard/dashboard.ts'
import { createLimits } from '#http/limits.ts'
import { allRoutes, type UseCases } from '#http/routes.ts'
import { type ApiHandler, createApi } from '#http/server.ts'
import type { Config } from '../../config/config.ts'
import type { Parts } from '../compose/parts.ts'
import { createOriginOf } from '../compose/serving/hosts.ts'
import { createMetrics, type Metrics } from '../compose/status/metrics.ts'
import { createReadStatus } from '../compose/status/status.ts'
import { ownCommand } from '../machine/own-command.ts'
import { createProcessList } from '../supervisor/channel/process-list.ts'
import { openUnknownEndpoints } from '../supervisor/channel/unknown-hub.ts'
import { createAskRestart } from '../supervisor/restart.ts'
import { withRestarts } from '../supervisor/restart-metrics.ts'
import { VERSION } from '../version.ts'

export async function buildApi(
  config: Config,
  parts: Parts,
  use: UseCases,
  channel: Channel | undefined,
  metrics: Metrics = createMetrics(channel, undefined, use.changes.count),
  /** What stands between the pages of the dashboard and the API. */
  around: (api: ApiHandler) => ApiHandler = (api) => api,
): Promise<ApiHandler> {
  const limits = createLimits(parts.limiter, config.rateLimit)
  const unknown = openUnknownEndpoints(channel, parts.clock.now)
  const system = {
    site: config.baseUrl,
    command: ownCommand(),
    version: VERSION,
    teams: parts.stores.teams,
    originOf: createOriginOf(config.domain, config.origin, parts.machines),
    origin: config.origin,
    sendsMail: config.smtpUrl !== undefined,
    checkHealth: parts.checkHealth,
    readMetrics: withRestarts(metrics.read, createProcessList(channel)),
    readStatus: createReadStatus(config, parts, channel, use.operators.lateJobs),
    readUnknown: unknown.read,
    restart: createAskRestart(channel),
  }
  const dashboard = createDashboard(
    fileURLToPath(new URL('../../../dist/dashboard', import.meta.url)),
    config.baseUrl,
  )
  const created = await createApi({
    routes: allRoutes(use, system, limits),
    tokens: use.tokens,
    sessions: use.sessions,
    teams: parts.stores.teams,
    limits,
    clock: parts.clock,
    dataVersion: parts.dataVersion,
    log: parts.log,
    site: config.baseUrl,
    originOf: system.originOf,
    defaultPlan: config.defaultPlan,
    addAudit: parts.stores.audit.add,
    observe: metrics.observe,
    onUnknown: unknown.note,
  })
  const api = around(created)
  return dashboard === undefined ? api : (req, res) => void (dashboard(req, res) || api(req, res))
}
