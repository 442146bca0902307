/**
 * A photograph of 4 megapixels made 800 pixels wide, as WebP: by the sandboxed process that serves visitors, against
 * sharp itself in this process. Both take turns.
 *
 *   node bench/site/images.ts
 */
import { randomFillSync } from 'node:crypto'
import sharp from 'sharp'
import { createSharpImages } from '#adapters/images-sharp/sharp-images.ts'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import { createDestinations } from '#core/outbound/destinations.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { medianRatio } from '../measure/median.ts'
import { mostMemoryOfChildren } from '../measure/process-memory.ts'
import { rounds, warmUps } from '../measure/trial.ts'
import { atMost, printRows, type Row } from '../report/row.ts'

const ROUNDS = rounds(15)
const WARM_UPS = warmUps(2)
const SIDE = 2000
const MB = 1024 * 1024
/** A third of what its sandbox lets it have. */
const MOST_MB = 256
const REQUEST = { width: 800, quality: 75, type: 'image/webp' } as const

/** Neither flat nor mere noise, as photographs are. */
async function photograph(): Promise<Buffer> {
  const small = randomFillSync(Buffer.alloc(100 * 100 * 3))
  return sharp(small, { raw: { width: 100, height: 100, channels: 3 } })
    .resize(SIDE, SIDE, { kernel: 'cubic' })
    .jpeg({ quality: 85 })
    .toBuffer()
}

const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  const since = performance.now()
  await work()
  return performance.now() - since
}

export async function run(): Promise<Row[]> {
  sharp.concurrency(1)
  sharp.cache(false)
  const images = createSharpImages({
    openSandbox: () =>
      openSandbox({ mode: 'auto', destinations: createDestinations(), log: silentLog, quiet: true }),
    log: silentLog,
  })
  try {
    const source = await photograph()
    const bare = () =>
      sharp(source).rotate().resize({ width: REQUEST.width }).webp({ quality: REQUEST.quality }).toBuffer()
    const ours = () => images.convert(source, REQUEST)
    const times = { bare: [] as number[], ours: [] as number[] }
    for (let i = 0; i < WARM_UPS; i++) await Promise.all([bare(), ours()])
    for (let i = 0; i < ROUNDS; i++) {
      times.bare.push(await timeOf(bare))
      times.ours.push(await timeOf(ours))
    }
    const what = 'a photograph of 4 megapixels to 800 pixels of WebP, against sharp itself'
    const memory = await mostMemoryOfChildren(process.pid)
    return [
      atMost('P19', what, medianRatio(times.ours, times.bare), 1.2),
      {
        ...{ id: 'P19', what: 'the most memory of the process that makes images' },
        ...{
          measured: `${Math.round(memory / MB)} MB`,
          target: `≤ ${MOST_MB} MB`,
          met: memory <= MOST_MB * MB,
        },
      },
    ]
  } finally {
    await images.close()
  }
}

if (import.meta.main) printRows(await run())
