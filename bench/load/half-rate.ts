import { median } from '../measure/median.ts'
import { isTrial, rounds, seconds } from '../measure/trial.ts'
import type { Paced } from '../pace/schedule.ts'
import type { Row } from '../report/row.ts'

const ROUNDS = rounds(5)
const SECONDS = seconds(1)
const PACED_SECONDS = seconds(3)
/** A trial need not ask for more to tell that it can. */
const TRIAL_RATE = 40
/** A round in which fewer requests were sent when they were due says nothing, nor one in which the load was busy with itself. */
const ENOUGH_IN_TIME = 0.99
const ENOUGH_IDLE = 0.1

interface HalfRate {
  readonly id: string
  readonly what: string
  /** As fast as it goes: how many requests were answered in a second of the clock. */
  readonly greatest: (forSeconds: number) => Promise<number>
  /** At a steady rate, over as many connections. */
  readonly paced: (rate: number, forSeconds: number) => Promise<Paced>
}

/**
 * How long visitors wait while half as many come as could be answered a moment before, by the clock. It has no target and is stated.
 * Where the load could not keep its schedule, that is stated instead.
 */
export async function atHalfRate({ id, what, greatest, paced }: HalfRate): Promise<Row> {
  const measured: (Paced & { readonly rate: number })[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const rate = Math.max(1, Math.round(isTrial ? TRIAL_RATE : (await greatest(SECONDS)) / 2))
    measured.push({ rate, ...(await paced(rate, PACED_SECONDS)) })
  }
  const usable = measured.filter(
    ({ inTime, idle }) => isTrial || (inTime >= ENOUGH_IN_TIME && idle >= ENOUGH_IDLE),
  )
  const isKept = usable.length * 2 > ROUNDS
  const counted = isKept ? usable : measured
  const rate = median(counted.map((one) => one.rate)).toLocaleString('en')
  if (!isKept)
    return {
      ...{ id, target: '', met: undefined },
      what: `${what}, at half of its greatest rate (${rate} a second): rounds in which the load kept its schedule, too few to tell how long requests wait`,
      measured: `${Math.round((100 * usable.length) / ROUNDS)} %`,
    }
  const waits = counted.map(({ p99 }) => p99)
  const p99 = median(waits)
  const typical = median(counted.map(({ p50 }) => p50)).toFixed(2)
  return {
    ...{ id, target: '', met: undefined },
    what: `${what}, p99 at half of its greatest rate (${rate} a second; median ${typical} ms)`,
    measured: `${p99.toFixed(2)} ms`,
    chart: {
      ...{ value: p99, target: undefined, better: 'less' },
      spread: [Math.min(...waits), Math.max(...waits)],
    },
  }
}
