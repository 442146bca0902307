import { cpus } from 'node:os'
import type { Row } from '../report/row.ts'
import { median, percentile } from './median.ts'
import { busySeconds, cpuSeconds, cpuSecondsOf, SHORTEST } from './process-cpu.ts'
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

/** Requests per second of CPU time of ours and of a peer, asked one after the other. */
interface Pair {
  readonly ours: number
  readonly theirs: number
  /** The share of the machine that others had meanwhile: neither of the two, nor what asks them. */
  readonly others: number
}

/** By the names of the peers, round by round. */
type Pairs = ReadonlyMap<string, readonly Pair[]>

const ROUNDS = rounds(Number(process.env.BENCH_ROUNDS ?? 11))
const SECONDS = seconds(1)
/**
 * Compiling what turns out to be hot is no part of what is measured. It takes a number of requests, not of seconds: on
 * a machine with other work to do, five seconds are few requests, and who has the most to compile would seem the slowest.
 */
const WARM_UP_REQUESTS = warmUps(100_000)
const WARM_UP_SECONDS = 2
const MAX_WARM_UP_SECONDS = 40
/** Who still becomes faster by so much is not warm. */
const STILL_FASTER = 1.02

/** Rounds in which others had more of the machine count only if there are not enough without. */
const QUIET = 0.05
const ENOUGH_QUIET = 5

/**
 * Ours before each of the peers, round after round. So whatever else the machine does falls on both of a pair, and ours has no
 * pauses that are long enough to collect what it does not use.
 */
export async function measure(ours: Subject, peers: readonly Subject[]): Promise<Pairs> {
  const pairs = new Map(peers.map(({ name }) => [name, [] as Pair[]]))
  for (const subject of [...peers, ours]) await warmUp(subject)
  for (let round = 0; round < ROUNDS; round++)
    for (const peer of peers) pairs.get(peer.name)?.push(await measurePair(ours, peer))
  return pairs
}

async function measurePair(ours: Subject, peer: Subject): Promise<Pair> {
  const others = await startCountingOthers()
  const pair = { ours: await rateOf(ours, SECONDS), theirs: await rateOf(peer, SECONDS) }
  return { ...pair, others: await others() }
}

async function rateOf({ pids, withChildren, load }: Subject, forSeconds: number): Promise<number> {
  const counted = await pids()
  const before = await cpuSecondsOf(counted, withChildren)
  const served = await load(forSeconds)
  const used = (await cpuSecondsOf(counted, withChildren)) - before
  return served / Math.max(used, SHORTEST)
}

/** Everything that is measured was started by this process. What it waited for counts as its own. */
async function startCountingOthers(): Promise<() => Promise<number>> {
  const others = async () => busySeconds() - (await cpuSeconds(process.pid))
  const [before, began] = [await others(), performance.now()]
  return async () => {
    const passed = ((performance.now() - began) / 1000) * cpus().length
    return Math.max(0, (await others()) - before) / passed
  }
}

/** Until enough was asked, and one more time brings nothing. */
async function warmUp(subject: Subject): Promise<void> {
  let served = 0
  let best = 0
  const counting: Subject = {
    ...subject,
    async load(forSeconds) {
      const more = await subject.load(forSeconds)
      served += more
      return more
    },
  }
  for (let spent = 0; WARM_UP_REQUESTS > 0 && spent < MAX_WARM_UP_SECONDS; spent += WARM_UP_SECONDS) {
    const rate = await rateOf(counting, WARM_UP_SECONDS)
    if (served >= WARM_UP_REQUESTS && rate < best * STILL_FASTER) return
    best = Math.max(best, rate)
  }
}

/** Those in which others had little of the machine; of those in which they had much, the ones with the least. */
function quietest(pairs: readonly Pair[]): readonly Pair[] {
  const sorted = pairs.toSorted((a, b) => a.others - b.others)
  return sorted.filter(({ others }, rank) => others <= QUIET || rank < ENOUGH_QUIET)
}

/** Ours against one of them, by rounds: the median, and between what the middle half of them lies. */
function against(pairs: readonly Pair[]) {
  const counted = quietest(pairs)
  const ratios = counted.map(({ ours, theirs }) => ours / theirs)
  return {
    ratio: median(ratios),
    spread: [percentile(ratios, 0.25), percentile(ratios, 0.75)] as const,
    rates: [median(counted.map(({ ours }) => ours)), median(counted.map(({ theirs }) => theirs))] as const,
    others: median(counted.map(({ others }) => others)),
  }
}

/** A line for each peer, with a target for those that have one. */
export const comparisons = (
  id: string,
  what: string,
  pairs: Pairs,
  targets: Readonly<Record<string, number | undefined>>,
): Row[] =>
  Object.entries(targets).map(([peer, target]) => {
    const { ratio, spread, rates, others } = against(pairs.get(peer) ?? [])
    const meanwhile = others > QUIET ? `, while others had ${Math.round(100 * others)}% of the machine` : ''
    return {
      id,
      what: `${what}, against ${peer}${meanwhile}`,
      measured: `${ratio.toFixed(2)} ×`,
      target: target === undefined ? '' : `≥ ${target} ×`,
      met: target === undefined ? undefined : ratio >= target,
      chart: { value: ratio, target, better: 'more', spread, rates },
    }
  })
