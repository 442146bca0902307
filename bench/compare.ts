import { median } from './median.ts'
import { cpuSecondsOf, SHORTEST } from './process-cpu.ts'
import type { Row } from './row.ts'
import { rounds, seconds, warmUps } from './trial.ts'

/** Something that serves, and what asks it. */
export interface Subject {
  readonly name: string
  /** The processes whose time is counted, each with or without those that it has started. */
  readonly pids: () => Promise<readonly number[]> | readonly number[]
  readonly withChildren: boolean
  /** Answers how many requests were served in so many seconds. */
  readonly load: (forSeconds: number) => Promise<number>
}

/** Requests per second of CPU time, round by round. */
export type Rates = ReadonlyMap<string, readonly number[]>

const ROUNDS = rounds(Number(process.env.BENCH_ROUNDS ?? 5))
const SECONDS = seconds(2)
/**
 * Compiling what turns out to be hot is no part of what is measured. It takes a number of requests, not of seconds: on
 * a machine with other work to do, five seconds are few requests, and who has the most to compile would seem the slowest.
 */
const WARM_UP_REQUESTS = warmUps(100_000)
const WARM_UP_SECONDS = 2
const MAX_WARM_UP_SECONDS = 40

/** All subjects in turn, round after round, so that whatever else the machine does falls on each of them. */
export async function measure(subjects: readonly Subject[]): Promise<Rates> {
  const rates = new Map(subjects.map(({ name }) => [name, [] as number[]]))
  for (const { load } of subjects) await warmUp(load)
  for (let round = 0; round < ROUNDS; round++)
    for (const { name, pids, withChildren, load } of subjects) {
      const counted = await pids()
      const before = await cpuSecondsOf(counted, withChildren)
      const served = await load(SECONDS)
      const used = (await cpuSecondsOf(counted, withChildren)) - before
      rates.get(name)?.push(served / Math.max(used, SHORTEST))
    }
  return rates
}

async function warmUp(load: Subject['load']): Promise<void> {
  let served = 0
  for (let spent = 0; served < WARM_UP_REQUESTS && spent < MAX_WARM_UP_SECONDS; spent += WARM_UP_SECONDS)
    served += await load(WARM_UP_SECONDS)
}

/** Ours against one of them, by rounds: the median, and the least and most of it. */
export function against(rates: Rates, ours: string, peer: string) {
  const theirs = rates.get(peer) ?? []
  const ratios = (rates.get(ours) ?? []).map((rate, round) => rate / (theirs[round] ?? Number.NaN))
  return {
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)] as const,
    rates: [median(rates.get(ours) ?? []), median(theirs)] as const,
  }
}

/** A line for each peer, with a target for those that have one. */
export const comparisons = (
  id: string,
  what: string,
  rates: Rates,
  targets: Readonly<Record<string, number | undefined>>,
): Row[] =>
  Object.entries(targets).map(([peer, target]) => {
    const { ratio, spread, rates: both } = against(rates, 'aloft', peer)
    return {
      id,
      what: `${what}, against ${peer}`,
      measured: `${ratio.toFixed(2)} ×`,
      target: target === undefined ? '' : `≥ ${target} ×`,
      met: target === undefined ? undefined : ratio >= target,
      chart: { value: ratio, target, better: 'more', spread, rates: both },
    }
  })
