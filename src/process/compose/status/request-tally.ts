/** An answered request, as it is counted. */
export interface Observed {
  readonly route: string
  readonly method: string
  readonly status: number
  readonly seconds: number
}

interface Tally {
  readonly route: string
  readonly method: string
  readonly statuses: Map<number, number>
  /** How many took at most so long and longer than the bound before; the last: longer than all. */
  readonly buckets: number[]
  sum: number
  count: number
}

export interface Value {
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/** Over HTTP/2 a method may be any text: what is made up is counted as one. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const OTHER = 'other'

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const

/**
 * Counts answered requests of the API. There is one for every request and a reader every few seconds at most, so it is
 * brought into the form of the reader only for them.
 */
export class RequestTally {
  readonly #tallies = new Map<string, Map<string, Tally>>()

  observe({ route, method: given, status, seconds }: Observed): void {
    const method = METHODS.has(given) ? given : OTHER
    const tally = this.#tallies.get(route)?.get(method) ?? this.#begin(route, method)
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
    let bucket = 0
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket++
    tally.buckets[bucket] = (tally.buckets[bucket] ?? 0) + 1
    tally.sum += seconds
    tally.count++
  }

  requests(): Value[] {
    return this.#all().flatMap(({ route, method, statuses }) =>
      [...statuses].map(([status, value]) => ({ labels: { route, method, status }, value })),
    )
  }

  /** As a histogram named so: each bound counts whatever took no longer. */
  seconds(name: string): Value[] {
    return this.#all().flatMap(({ route, method, buckets, sum, count }) => {
      const labels = { route, method }
      let sofar = 0
      const upTo = BOUNDS.map((le, bucket) => {
        sofar += buckets[bucket] as number
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: sofar }
      })
      return [
        ...upTo,
        { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ]
    })
  }

  #all(): Tally[] {
    return [...this.#tallies.values()].flatMap((methods) => [...methods.values()])
  }

  #begin(route: string, method: string): Tally {
    const buckets = new Array<number>(BOUNDS.length + 1).fill(0)
    const tally: Tally = { route, method, statuses: new Map(), buckets, sum: 0, count: 0 }
    const methods = this.#tallies.get(route) ?? new Map<string, Tally>()
    this.#tallies.set(route, methods.set(method, tally))
    return tally
  }
}
