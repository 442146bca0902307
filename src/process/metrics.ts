import { AggregatorRegistry, Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { SECOND } from '#contract/time.ts'
import { type Channel, kindOf } from './channel.ts'

export interface Metrics {
  observe(request: { route: string; method: string; status: number; seconds: number }): void
  /** The metrics of every process of this machine, added up. */
  read(): Promise<{ readonly type: string; readonly body: string }>
}

type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

const ASK = 'metrics.ask'
const ANSWER = 'metrics.answer'
const COLLECT = 'metrics.collect'
const COLLECTED = 'metrics.collected'

/** A process that does not answer in this time is left out. */
const PATIENCE = SECOND

/** Counts in this process; answers for all of them with the supervisor's help. */
export function createMetrics(channel: Channel | undefined): Metrics {
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
  const waiting = new Map<number, (all: Snapshot[]) => void>()
  let asked = 0

  channel?.onMessage((message) => {
    const { id, all } = message as { id: number; all: Snapshot[] }
    if (kindOf(message) === COLLECT)
      void registry.getMetricsAsJSON().then((own) => channel.send({ kind: COLLECTED, id, own }))
    if (kindOf(message) === ANSWER) {
      waiting.get(id)?.(all)
      waiting.delete(id)
    }
  })

  async function everyone(): Promise<Snapshot[]> {
    if (!channel) return [await registry.getMetricsAsJSON()]
    const id = asked++
    const { promise, resolve } = Promise.withResolvers<Snapshot[]>()
    waiting.set(id, resolve)
    channel.send({ kind: ASK, id })
    return promise
  }

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

/** The supervisor's part: asks every process when one of them is asked. */
export function serveMetrics(channels: () => readonly Channel[]): { attach(channel: Channel): void } {
  const rounds = new Map<number, (own: Snapshot) => void>()
  let round = 0

  function collect(): Promise<Snapshot[]> {
    const asked = channels()
    const id = round++
    const all: Snapshot[] = []
    const { promise, resolve } = Promise.withResolvers<Snapshot[]>()
    const finish = () => {
      rounds.delete(id)
      clearTimeout(timer)
      resolve(all)
    }
    const timer = setTimeout(finish, PATIENCE)
    rounds.set(id, (own) => {
      all.push(own)
      if (all.length === asked.length) finish()
    })
    for (const channel of asked) channel.send({ kind: COLLECT, id })
    return promise
  }

  return {
    attach(channel) {
      channel.onMessage((message) => {
        const { id, own } = message as { id: number; own: Snapshot }
        if (kindOf(message) === COLLECTED) rounds.get(id)?.(own)
        if (kindOf(message) === ASK) void collect().then((all) => channel.send({ kind: ANSWER, id, all }))
      })
    },
  }
}
