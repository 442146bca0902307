/**
 * What the whole platform takes in memory while nobody asks for anything, as it is started without settings.
 *
 *   node bench/start/idle-memory.ts
 */
import { setTimeout as pause } from 'node:timers/promises'
import { familyMegabytes } from '../measure/process-memory.ts'
import { amount } from '../measure/trial.ts'
import { startPlatform } from '../platform/platform.ts'
import { printRows, type Row } from '../report/row.ts'

const SETTLED = amount(10_000, 0)
const TARGET = 180

export async function run(): Promise<Row[]> {
  const platform = await startPlatform({ ALOFT_WORKERS: '' })
  try {
    await pause(SETTLED)
    const megabytes = await familyMegabytes(platform.pid)
    return [
      {
        id: 'P12',
        what: 'idle memory of all processes',
        measured: `${megabytes.toFixed(0)} MB`,
        target: `≤ ${TARGET} MB`,
        met: megabytes <= TARGET,
        chart: { value: megabytes, target: TARGET, better: 'less' },
      },
    ]
  } finally {
    await platform.stop()
  }
}

if (import.meta.main) printRows(await run())
