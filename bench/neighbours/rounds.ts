import { percentile } from '../measure/median.ts'
import { amount, rounds } from '../measure/trial.ts'
import type { Aim, Visitors } from './visitors.ts'

const ROUNDS = rounds(Number(process.env.BENCH_ROUNDS ?? 5))
const MS = amount(3000, 50)
/** Between two visits: few, so that it is waiting that is measured. */
const PACE_MS = 10

/** What goes on during every other round. */
export interface Noise {
  begin(): void
  stop(): Promise<void>
}

interface Waits {
  readonly p50: number
  readonly p99: number
  readonly most: number
}

/** What visitors of one site waited. */
interface Compared {
  /** Their 99th percentile during the noise, against that without it. */
  readonly ratio: number
  readonly inWords: string
}

export const visitOnce = (visitors: Visitors, aims: readonly Aim[]): Promise<number[][]> =>
  visitors.visit({ aims, ms: MS, paceMs: PACE_MS })

/** Visits all sites in rounds without and with noise, which is prepared anew for each pair of them. */
export async function compareRounds(
  visitors: Visitors,
  aims: readonly Aim[],
  prepare: () => Promise<Noise>,
): Promise<Compared[]> {
  const alone = aims.map((): number[] => [])
  const during = aims.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    const noise = await prepare()
    note(alone, await visitOnce(visitors, aims))
    noise.begin()
    try {
      note(during, await visitOnce(visitors, aims))
    } finally {
      await noise.stop()
    }
  }
  return aims.map((_, n) => {
    const [before, meanwhile] = [waitsOf(alone[n] ?? []), waitsOf(during[n] ?? [])]
    return {
      ratio: meanwhile.p99 / before.p99,
      inWords: `p50 / p99 / most in ms: ${inWords(before)} alone, ${inWords(meanwhile)} meanwhile`,
    }
  })
}

function note(all: readonly number[][], waits: readonly (readonly number[])[]): void {
  for (const [n, each] of waits.entries()) all[n]?.push(...each)
}

const waitsOf = (waits: readonly number[]): Waits => ({
  p50: percentile(waits, 0.5),
  p99: percentile(waits, 0.99),
  most: percentile(waits, 1),
})

const inWords = ({ p50, p99, most }: Waits): string => [p50, p99, most].map((ms) => ms.toFixed(1)).join(' / ')
