import { median, percentile } from './median.ts'
import type { Row } from './row.ts'
import { amount, isTrial, rounds } from './trial.ts'

const ROUNDS = rounds(3)
const SECONDS = amount(2, 1)
const PACED_SECONDS = amount(8, 1)
/** A trial need not ask for more to tell that it can. */
const TRIAL_RATE = 40

interface HalfRate {
  readonly id: string
  readonly what: string
  /** As fast as it goes: answers how many requests were served in so many seconds. */
  readonly load: (forSeconds: number) => Promise<number>
  /** At a steady rate: milliseconds that each request waited from when it was due. */
  readonly paced: (rate: number, forSeconds: number) => Promise<readonly number[]>
}

/** How long visitors wait while half as many come as could be answered, by the clock. It has no target and is stated. */
export async function atHalfRate({ id, what, load, paced }: HalfRate): Promise<Row> {
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    rates.push((await load(SECONDS)) / ((performance.now() - began) / 1000))
  }
  const half = Math.max(1, Math.round(isTrial ? TRIAL_RATE : median(rates) / 2))
  const waits = await paced(half, PACED_SECONDS)
  const p99 = percentile(waits, 0.99)
  const typical = percentile(waits, 0.5).toFixed(2)
  return {
    id,
    what: `${what}, p99 at half of its greatest rate (${half.toLocaleString('en')} a second; median ${typical} ms)`,
    measured: `${p99.toFixed(2)} ms`,
    target: '',
    met: undefined,
    chart: { value: p99, target: undefined, better: 'less' },
  }
}
