import { readFileSync } from 'node:fs'
import { percentile } from '../measure/median.ts'

/** What sends requests to one server, over connections that stay open. */
export interface Connections {
  /** Sends the request of this number, unless as many are under way as may be. Answers whether it was sent. */
  send(number: number): boolean
  /** What was sent since the last call goes out. */
  flush(): void
  close(): void
}

export interface Listener {
  /** The request of this number was answered. */
  answered(number: number): void
  /** All that came at once was looked at: whatever is due by now may be sent. */
  turn(): void
  /** The same, for whatever could not be sent when it was due. */
  refill(): void
}

export interface Paced {
  /** Milliseconds that half of the requests waited at most. */
  readonly p50: number
  readonly p99: number
  /** The share of the requests of which the load knew within `IN_TIME_MS` that they were due. */
  readonly inTime: number
  /** The share of the time in which the load had nothing to do. Without any, answers wait for it and not it for them. */
  readonly idle: number
}

/** What the load is late by itself is no wait for an answer, and up to so much makes no difference to it. */
const IN_TIME_MS = 5
/** Left out at the beginning, in which connections have their first request and the load is compiled. */
const WARM_MS = 1000
/** How long the last answers are waited for. */
const END_MS = 10_000

/** Milliseconds for which this thread has had a core or waited for one. */
const wantedMs = (): number => {
  const [ran = 0, waited = 0] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number)
  return (ran + waited) / 1e6
}

export interface Pace {
  /** Requests a second, of all connections together. */
  readonly rate: number
  readonly seconds: number
}

/**
 * Sends requests at a steady rate, whatever becomes of those before. A wait begins when the load notices that a request is due,
 * also if it is sent later because too many are under way: that is the server's doing. What passes between the moment in which it
 * was due and that in which the load noticed is the load's own doing, and is stated apart.
 */
export async function keepPace(
  { rate, seconds }: Pace,
  open: (listener: Listener) => Promise<Connections>,
): Promise<Paced> {
  const count = Math.max(1, Math.round(rate * seconds))
  const apart = 1000 / rate
  const noticedAt = new Float64Array(count)
  const answeredAt = new Float64Array(count).fill(Number.NaN)
  const ended = Promise.withResolvers<void>()
  let [noticed, sent, answered] = [0, 0, 0]
  let begin = Number.POSITIVE_INFINITY
  let connections: Connections | undefined
  let readySince: { readonly at: number; readonly wanted: number } | undefined
  const refill = () => {
    while (sent < noticed && connections?.send(sent)) sent += 1
    connections?.flush()
  }
  const turn = () => {
    if (connections === undefined) return
    const now = performance.now() - begin
    while (noticed < count && noticed * apart <= now) noticedAt[noticed++] = now
    refill()
    if (now >= WARM_MS) readySince ??= { at: now, wanted: wantedMs() }
    if (answered === count || now > seconds * 1000 + END_MS) ended.resolve()
  }
  connections = await open({
    turn,
    refill,
    answered(number) {
      answeredAt[number] = performance.now() - begin
      answered += 1
    },
  })
  begin = performance.now()
  const timer = setInterval(turn, 1)
  await ended.promise
  clearInterval(timer)
  const end = performance.now() - begin
  const { at: since, wanted } = readySince ?? { at: 0, wanted: 0 }
  const idle = 1 - (wantedMs() - wanted) / Math.max(1, end - since)
  connections.close()
  const from = Math.min(count - 1, Math.ceil(WARM_MS / apart))
  const late = noticedAt.subarray(from).map((at, n) => at - (from + n) * apart)
  const waits = Array.from(noticedAt.subarray(from), (at, n) => {
    const answer = answeredAt[from + n] ?? Number.NaN
    return (Number.isNaN(answer) ? end : answer) - at
  })
  return {
    p50: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
    inTime: late.filter((ms) => ms <= IN_TIME_MS).length / late.length,
    idle,
  }
}
