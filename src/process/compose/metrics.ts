import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { answerTo, createAsk } from '../supervisor/ask.ts'
import type { Channel } from '../supervisor/channel.ts'
import { ALL_METRICS, OWN_METRICS } from '../supervisor/metrics-hub.ts'

export interface Metrics {
  observe(request: { route: string; method: string; status: number; seconds: number }): void
  /** The metrics of every process of this machine, added up. */
  read(): Promise<{ readonly type: string; readonly body: string }>
}

type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** What the DNS server of this process did so far. */
export interface DnsCounts {
  /** By the code of the answer. */
  readonly answers: readonly number[]
  readonly limited: number
}

/** Counts in this process; answers for all of them with the supervisor's help. */
export function createMetrics(
  channel: Channel | undefined,
  readDns: () => DnsCounts | undefined = () => undefined,
  countFollowers: () => number = () => 0,
): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'aloft_' })
  const requests = new Counter({
    name: 'aloft_http_requests_total',
    help: 'API requests answered',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'aloft_http_request_seconds',
    help: 'Time from the head of an API request to the end of its answer',
    labelNames: ['route', 'method'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  addDnsCounters(registry, readDns)
  new Gauge({
    name: 'aloft_change_streams',
    help: 'Clients that follow changes',
    registers: [registry],
    collect() {
      this.set(countFollowers())
    },
  })
  const readOwn = () => registry.getMetricsAsJSON()
  if (channel) answerTo(channel, OWN_METRICS, readOwn)
  const ask = channel && createAsk(channel, ALL_METRICS)
  const everyone = async () => ((await ask?.()) as Snapshot[] | undefined) ?? [await readOwn()]

  return {
    observe({ route, method, status, seconds: took }) {
      requests.inc({ route, method, status })
      seconds.observe({ route, method }, took)
    },
    async read() {
      const all = AggregatorRegistry.aggregate(await everyone())
      return { type: Registry.PROMETHEUS_CONTENT_TYPE, body: await all.metrics() }
    },
  }
}

const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'] as const

/** Read when somebody asks, since counting with labels would cost more than answering does. */
function addDnsCounters(registry: Registry, read: () => DnsCounts | undefined): void {
  const counter = (name: string, help: string, labelNames: string[], fill: (counter: Counter) => void) =>
    new Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset()
        fill(this)
      },
    })
  counter('aloft_dns_answers_total', 'DNS questions answered', ['rcode'], (answers) => {
    for (const [code, rcode] of RCODES.entries()) answers.inc({ rcode }, read()?.answers[code] ?? 0)
  })
  counter('aloft_dns_limited_total', 'DNS answers held back by rate limits', [], (limited) =>
    limited.inc(read()?.limited ?? 0),
  )
}
