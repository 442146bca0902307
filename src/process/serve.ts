import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { createSharpImages } from '#adapters/images-sharp/sharp-images.ts'
import { type Channel, kindOf } from '#adapters/ipc/channel.ts'
import { createStaples } from '#adapters/ocsp-http/staples.ts'
import { createRunnerClient } from '#adapters/runner-process/client/runner-client.ts'
import { createClusterRunner } from '#adapters/runner-process/peer/cluster-runner.ts'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import { SECOND } from '#contract/time.ts'
import { createTrustedProxies } from '#core/access/trusted-proxies.ts'
import { createVisitLog } from '#core/log/write/visit-log.ts'
import type { Log } from '#core/ports/log.ts'
import type { Runner } from '#core/ports/runner.ts'
import type { DnsServer } from '#dns/server.ts'
import { createEdge, type Edge } from '#edge/edge.ts'
import { publicAddressOf } from '#edge/prerender/canonical-visitor.ts'
import { createListeners, type DrainOptions } from '#listener/listener.ts'
import { DEFAULT_LIMITS } from '#listener/listener-limits.ts'
import type { Config } from '../config/config.ts'
import { buildApi } from './api/build-api.ts'
import { createForward } from './api/forward-api.ts'
import { callerOf, createWorkingRequests, sourceOfRequest } from './api/working-requests.ts'
import { openPrerenders } from './compose/content/prerenders.ts'
import { startDns } from './compose/domain/dns.ts'
import { connectPeers, endMachine, reportMachine } from './compose/machine/cluster.ts'
import { createIsDraining } from './compose/machine/machine-watch.ts'
import { openParts } from './compose/open-parts.ts'
import { openAllows, openLookUp } from './compose/outbound.ts'
import type { Parts } from './compose/parts.ts'
import { apiSocket, findRunnerSocket } from './compose/runner-socket.ts'
import { buildHandler } from './compose/serving/build-handler.ts'
import { connectionLimit } from './compose/serving/descriptor-limit.ts'
import { createIsForApi, hostOf } from './compose/serving/hosts.ts'
import { createInTurns } from './compose/serving/in-turns.ts'
import { withLastKnown } from './compose/serving/last-known.ts'
import { openProtection } from './compose/serving/protection.ts'
import { createMetrics } from './compose/status/metrics.ts'
import { createUseCases } from './compose/use-cases.ts'
import { poolGivesWay } from './machine/give-way.ts'
import { machineName } from './machine/machine-name.ts'
import { countElsewhere } from './supervisor/channel/count-elsewhere.ts'
import { type Activity, NOBODY_READS } from './supervisor/child/activity.ts'
import { JOINED } from './supervisor/child/child.ts'
import type { ChildOptions } from './supervisor/child/child-options.ts'
import { takeSockets } from './supervisor/socket/take-sockets.ts'
import { createTlsChallenges } from './tls/acme/acme-tls.ts'
import { openTicketKeys } from './tls/ticket-keys.ts'
import { chooseCertificates } from './tls/tls-serving.ts'

export interface Running {
  /** Finishes what was begun, within this time, and lets go of everything. */
  drain(ms: number, options?: DrainOptions): Promise<void>
}

/** How long streams without an end may go on in a drain; then they are ended in their own words. */
const STREAMS_MS = 4 * SECOND

/** How long a process waits to be told of changes before it serves. Without the stores it serves what is known here. */
const HEARING_MS = 2 * SECOND
/** The same where others serve, so that nobody waits for it. */
const HEARING_BESIDE_MS = 15 * SECOND

/** What the contents of sites may take in the memory of one serving process. */
const EDGE_BUDGET = 64 * 1024 * 1024

export async function buildEdge(
  config: Config,
  parts: Parts,
  runner?: Runner,
  onVisit: () => void = () => {},
): Promise<Edge> {
  const { origin } = config
  const { sites, blobs, bus, clock, log, logWriter, traffic } = parts
  return createEdge({
    sites,
    blobs,
    bus,
    clock,
    log,
    origin,
    visits: createVisitLog({
      ...{ writer: logWriter, clock: parts.clock, region: origin },
      traffic: {
        record(visit) {
          onVisit()
          traffic.record(visit)
        },
      },
      allowance: parts.logAllowance,
    }),
    budgetBytes: EDGE_BUDGET,
    keepAliveMs: DEFAULT_LIMITS.keepAliveMs,
    prerenders: openPrerenders(config, parts),
    images: createSharpImages({
      openSandbox: () =>
        // It has no network, and this process must not stand still while it is made ready.
        openSandbox({ mode: config.sandbox, log, quiet: true, networks: false }),
      log,
    }),
    address: publicAddressOf(config.baseUrl),
    proxy: { allows: openAllows(config), resolve: openLookUp() },
    protection: await openProtection(config, parts),
    instancesOf: (deploymentId) => parts.stores.instances.ofDeployment(deploymentId),
    ...(runner ? { runner } : {}),
  })
}

/** A serving process: the API and the sites on shared listeners. Keeps no state but caches. */
export async function serve(
  config: Config,
  log: Log,
  channel: Channel | undefined,
  activity: Activity = NOBODY_READS,
  { sockets, seat, takesOver = false }: ChildOptions = {},
): Promise<Running> {
  const parts = await openParts(config, log, channel)
  const workingRequests = createWorkingRequests()
  const use = createUseCases(config, parts, workingRequests.isVisited)
  let dns: DnsServer | undefined
  const metrics = createMetrics(channel, () => dns?.counts(), use.changes.count)
  const isForApi = createIsForApi(config)
  const turns = createInTurns({
    keyOf: (req) => (isForApi(req) ? `api ${callerOf(req)}` : hostOf(req)),
    sourceOf: sourceOfRequest,
  })
  const api = await buildApi(config, parts, use, channel, metrics, (local) =>
    seat === undefined
      ? local
      : createForward({
          local,
          socket: () => apiSocket(config.dataDir, seat),
          isElsewhere: workingRequests.isElsewhere,
          onForward: countElsewhere(channel),
          onLocal: workingRequests.noteAnswer,
          onRefused: ({ method = '' }) =>
            metrics.observe({ route: 'unknown', method, status: 429, seconds: 0 }),
        }),
  )
  const own = createRunnerClient({ socket: findRunnerSocket(config.dataDir, seat), logger: log })
  const peers = await connectPeers(config, parts)
  const isDraining = createIsDraining(parts.machines, await machineName(config.dataDir))
  const runner = createClusterRunner({ own, origin: config.origin, isDraining, others: peers.others })
  parts.machines.start()
  const serving = withLastKnown(config, parts)
  const edge = await buildEdge(config, serving, runner, () => {
    const now = performance.now()
    workingRequests.noteVisit(now)
    turns.noteVisit(now)
  })
  serving.onCaughtUp((host) => edge.invalidate(host))
  const reusePort = channel !== undefined && process.platform === 'linux'
  const answers = { ...parts, challenges: parts.stores.challenges }
  const certificateFor = await chooseCertificates(config, serving)
  const tickets = await openTicketKeys(serving)
  const share = takeSockets(sockets)
  const listeners = createListeners({
    host: config.host,
    port: config.port,
    tlsPort: config.tlsPort,
    reusePort,
    ...(share ? { sockets: share.own } : {}),
    ...buildHandler({ config, activity, turns, challenges: answers, certificateFor, api, edge }),
    trustedProxies: createTrustedProxies(config.trustedProxies),
    certificateFor,
    challengeFor: createTlsChallenges(answers),
    stapleFor: createStaples(parts).find,
    ticketKeys: tickets.keys,
    limits: { maxConnections: connectionLimit() },
    log,
  })
  channel?.onMessage((message) => kindOf(message) === JOINED && listeners.renewConnections())
  // What is looked up before changes are heard of would be served as it was then.
  if (parts.bus.untilHearing)
    await Promise.race([
      parts.bus.untilHearing(),
      pause(takesOver ? HEARING_BESIDE_MS : HEARING_MS, undefined, { ref: false }),
    ])
  const { port, tlsPort } = await listeners.listen()
  dns = await startDns(config, serving, { reusePort, sockets: share?.own.dns })
  const ssh =
    config.sshPort === 0
      ? undefined
      : await (await import('./compose/git/ssh.ts')).startSsh(config, parts, use, {
          reusePort,
          sockets: share?.own.ssh,
        })
  share?.onAdopt(
    channel,
    (adopted) => Promise.all([listeners.adopt(adopted), dns?.adopt(adopted.dns), ssh?.adopt(adopted.ssh)]),
    log,
  )
  const stopReports = await reportMachine(config, parts, 'serve', endMachine(channel))
  poolGivesWay()
  log.info({ port, tlsPort, dnsPort: dns?.port ?? 0, sshPort: ssh?.port ?? 0 }, 'listening')
  return {
    async drain(ms, how) {
      // Logs and changes that somebody follows would otherwise go on until the deadline.
      use.logs.close()
      use.changes.close()
      tickets.close()
      share?.close()
      const streams = setTimeout(() => edge.endStreams(), Math.min(STREAMS_MS, ms))
      await Promise.all([listeners.drain(ms, how), dns?.drain(ms), ssh?.drain(ms)])
      clearTimeout(streams)
      await edge.close()
      own.close()
      peers.close()
      stopReports()
      await serving.close()
    },
  }
}
