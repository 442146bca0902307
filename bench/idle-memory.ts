/**
 * What the whole platform takes in memory while nobody asks for anything: all of its processes, each page divided by
 * those who share it.
 *
 *   node bench/idle-memory.ts
 */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { startPlatform } from './platform.ts'
import { printRows, type Row } from './row.ts'
import { amount } from './trial.ts'

const SETTLED = amount(10_000, 0)
const TARGET = 150

/** Megabytes of a process and of everything it started. */
async function familyMegabytes(root: number | undefined): Promise<number> {
  const parents = new Map<number, number>()
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const isFamily = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === root || isFamily(parents.get(pid)))
  let kilobytes = 0
  for (const pid of parents.keys())
    if (isFamily(pid)) {
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
    }
  return kilobytes / 1024
}

export async function run(): Promise<Row[]> {
  const platform = await startPlatform({ ALOFT_WORKERS: '2' })
  try {
    await pause(SETTLED)
    const megabytes = await familyMegabytes(platform.pid)
    return [
      {
        id: 'P12',
        what: 'idle memory of all processes, two of them serving',
        measured: `${megabytes.toFixed(0)} MB`,
        target: `≤ ${TARGET} MB`,
        met: megabytes <= TARGET,
      },
    ]
  } finally {
    await platform.stop()
  }
}

if (import.meta.main) printRows(await run())
