import type { Metric, Registry } from 'prom-client'
import { answerTo, createAsk } from '#adapters/ipc/ask.ts'
import type { Channel } from '#adapters/ipc/channel.ts'
import { ALL_METRICS, OWN_METRICS } from '../../supervisor/channel/metrics-hub.ts'
import { type Observed, RequestTally, type Value } from './request-tally.ts'

export interface Metrics {
  observe(request: Observed): void
  /** The metrics of every process of this machine, added up. */
  read(): Promise<{ readonly type: string; readonly body: string }>
}

type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** What the DNS server of this process did so far. */
interface DnsCounts {
  /** By the code of the answer. */
  readonly answers: readonly number[]
  readonly limited: number
}

/** A metric that is known only when somebody asks, since counting with labels would cost more than answering does. */
interface Readable {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly read: () => readonly Value[]
}

/** Counts in this process; answers for all of them with the supervisor's help. */
export function createMetrics(
  channel: Channel | undefined,
  readDns: () => DnsCounts | undefined = () => undefined,
  countFollowers: () => number = () => 0,
): Metrics {
  const tally = new RequestTally()
  let opened: Promise<Registry> | undefined
  const readOwn = async () => {
    opened ??= openRegistry([...requestMetrics(tally), ...dnsMetrics(readDns), followers(countFollowers)])
    return (await opened).getMetricsAsJSON()
  }
  if (channel) answerTo(channel, OWN_METRICS, readOwn)
  const ask = channel && createAsk(channel, ALL_METRICS)
  const everyone = async () => ((await ask?.()) as Snapshot[] | undefined) ?? [await readOwn()]

  return {
    observe: (request) => tally.observe(request),
    async read() {
      const { AggregatorRegistry, Registry } = await import('prom-client')
      const all = AggregatorRegistry.aggregate(await everyone())
      return { type: Registry.PROMETHEUS_CONTENT_TYPE, body: await all.metrics() }
    },
  }
}

/** Made when somebody asks for the first time: on most machines nobody does. */
async function openRegistry(metrics: readonly Readable[]): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'aloft_' })
  for (const { name, help, type, read } of metrics)
    registry.registerMetric({
      name,
      get: async () => ({ name, help, type, values: read(), aggregator: 'sum' }),
    } as unknown as Metric)
  return registry
}

const SECONDS = 'aloft_http_request_seconds'

const requestMetrics = (tally: RequestTally): Readable[] => [
  {
    name: 'aloft_http_requests_total',
    help: 'API requests answered',
    type: 'counter',
    read: () => tally.requests(),
  },
  {
    name: SECONDS,
    help: 'Time from the head of an API request to the end of its answer',
    type: 'histogram',
    read: () => tally.seconds(SECONDS),
  },
]

const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'] as const

const dnsMetrics = (read: () => DnsCounts | undefined): Readable[] => [
  {
    name: 'aloft_dns_answers_total',
    help: 'DNS questions answered',
    type: 'counter',
    read: () => RCODES.map((rcode, code) => ({ labels: { rcode }, value: read()?.answers[code] ?? 0 })),
  },
  {
    name: 'aloft_dns_limited_total',
    help: 'DNS answers held back by rate limits',
    type: 'counter',
    read: () => [{ labels: {}, value: read()?.limited ?? 0 }],
  },
]

const followers = (count: () => number): Readable => ({
  name: 'aloft_change_streams',
  help: 'Clients that follow changes',
  type: 'gauge',
  read: () => [{ labels: {}, value: count() }],
})
