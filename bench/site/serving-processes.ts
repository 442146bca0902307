/**
 * What more serving processes bring: requests a second of a small static file with one, two and three of them, on all
 * cores. The load is on the same machine, so that on a machine of few cores they share what there is.
 *
 *   node bench/site/serving-processes.ts
 */
import { cpus } from 'node:os'
import { wrk } from '../load/wrk.ts'
import { median } from '../measure/median.ts'
import { rounds, seconds, warmUps } from '../measure/trial.ts'
import { deployReady } from '../platform/deploy-ready.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'
import { printRows, type Row } from '../report/row.ts'

const COUNTS = [1, 2, 3] as const
const ROUNDS = rounds(5)
const SECONDS = seconds(3)

interface Subject {
  readonly count: number
  readonly platform: Platform
  readonly host: string
  readonly rates: number[]
}

export async function run(): Promise<Row[]> {
  const subjects: Subject[] = []
  try {
    for (const count of COUNTS) {
      const platform = await startPlatform({ ALOFT_WORKERS: String(count) }, { pinned: false })
      const host = await deployReady(platform, 'static', { 'index.html': 'x'.repeat(1024) })
      subjects.push({ count, platform, host, rates: [] })
    }
    for (let round = -warmUps(2); round < ROUNDS; round++)
      for (const { platform, host, rates } of subjects) {
        const began = performance.now()
        const served = await wrk(`${platform.url}/`, SECONDS, { Host: host })
        if (round >= 0) rates.push(served / ((performance.now() - began) / 1000))
      }
    const [one, ...more] = subjects
    return more.map(({ count, rates }) => {
      const ratios = rates.map((rate, round) => rate / (one?.rates[round] ?? Number.NaN))
      const ratio = median(ratios)
      return {
        id: 'P24',
        what: `${count} serving processes on ${cpus().length} cores, against one`,
        measured: `${ratio.toFixed(2)} ×`,
        target: '',
        met: undefined,
        chart: {
          ...{ value: ratio, target: undefined, better: 'more' as const },
          spread: [Math.min(...ratios), Math.max(...ratios)] as const,
          rates: [median(rates), median(one?.rates ?? [])] as const,
        },
      }
    })
  } finally {
    for (const { platform } of subjects) await platform.stop()
  }
}

if (import.meta.main) printRows(await run())
