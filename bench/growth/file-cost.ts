/**
 * Whether a file costs more where there are many: CPU time of all processes of the platform for deployments of 10 to
 * 100,000 files that were uploaded before, from the request until they are ready and nothing is left to do, divided by the files.
 * What a deployment costs by itself is in it, and is all that the smallest tell of.
 *
 *   node bench/growth/file-cost.ts
 */
import { hash } from 'node:crypto'
import { BATCH_LIMITS, packBatch } from '#contract/file-batch.ts'
import { median } from '../measure/median.ts'
import { cpuSeconds } from '../measure/process-cpu.ts'
import { rest } from '../measure/rest.ts'
import { amount, isTrial, rounds, warmUps } from '../measure/trial.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'
import { printRows, type Row } from '../report/row.ts'

const SIZES = isTrial ? [5, 10, 20] : [10, 100, 1000, 10_000, 100_000]
const LARGEST = Math.max(...SIZES)
/** What the largest is compared with: the files of one take longer than all else of it. */
const USUAL = amount(1000, 10)
const TARGET = 1.2
const ROUNDS = rounds(3)
/** Of a round: so many of the small ones that the clock of the processor tells their cost. */
const MOST_DEPLOYMENTS = amount(200, 2)
const WARM_UPS = warmUps(20)

interface File {
  readonly path: string
  readonly bytes: Buffer
  readonly sha1: string
}

const FILES: readonly File[] = Array.from({ length: LARGEST }, (_, n) => {
  const bytes = Buffer.from(`<!doctype html><title>Page ${n}</title>`)
  return { path: `pages/section-${n % 1000}/page-${n}.html`, bytes, sha1: hash('sha1', bytes) }
})

async function upload({ call }: Platform): Promise<void> {
  for (let from = 0; from < FILES.length; from += BATCH_LIMITS.files) {
    const body = Buffer.from(packBatch(FILES.slice(from, from + BATCH_LIMITS.files)))
    await call('/v1/platform/files/batch', { method: 'POST', body })
  }
}

const bodyOf = (size: number): string =>
  JSON.stringify({
    ...{ name: `files-${size}`, version: 2 },
    files: FILES.slice(0, size).map(({ path, bytes, sha1 }) => ({
      ...{ file: path, sha: sha1, size: bytes.length, mode: 0o100644 },
    })),
  })

async function create({ call }: Platform, body: string): Promise<void> {
  const made = await call('/v8/platform/deployments?forceNew=1', { method: 'POST', body })
  const { readyState } = JSON.parse(made.body)
  if (readyState !== 'READY') throw new Error(`it is ${readyState} and not READY in the answer`)
}

/** Microseconds for each file. */
async function costOf(platform: Platform, size: number): Promise<number> {
  const body = bodyOf(size)
  const deployments = Math.min(MOST_DEPLOYMENTS, LARGEST / size)
  await rest(platform)
  const before = await cpuSeconds(platform.pid)
  for (let n = 0; n < deployments; n++) await create(platform, body)
  await rest(platform)
  return (((await cpuSeconds(platform.pid)) - before) * 1e6) / (deployments * size)
}

export async function run(): Promise<Row[]> {
  const platform = await startPlatform()
  try {
    await upload(platform)
    for (let n = 0; n < WARM_UPS; n++) await create(platform, bodyOf(USUAL))
    const costs = new Map(SIZES.map((size) => [size, [] as number[]]))
    for (let round = 0; round < ROUNDS; round++)
      for (const [size, all] of costs) all.push(await costOf(platform, size))
    // A trial is over before any of it is counted.
    const usual = costs.get(USUAL)?.map((cost) => cost || 1) ?? []
    const ratios = (costs.get(LARGEST) ?? []).map((cost, round) => cost / (usual[round] ?? Number.NaN))
    const ratio = median(ratios)
    return [
      {
        id: 'P25',
        what: `a file in a deployment of ${inWords(LARGEST)}, against one of ${inWords(USUAL)}, CPU time`,
        measured: `${ratio.toFixed(2)} ×`,
        target: `≤ ${TARGET} ×`,
        met: ratio <= TARGET,
        chart: {
          ...{ value: ratio, target: TARGET, better: 'less' },
          spread: [Math.min(...ratios), Math.max(...ratios)],
        },
      },
      ...[...costs].map(
        ([size, all]): Row => ({
          ...{ id: '', what: `a file of ${inWords(size)}`, measured: `${median(all).toFixed(1)} µs` },
          ...{ target: '', met: undefined },
        }),
      ),
    ]
  } finally {
    await platform.stop()
  }
}

const inWords = (count: number): string => `${count.toLocaleString('en')} files`

if (import.meta.main) printRows(await run())
