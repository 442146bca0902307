/**
 * What the whole platform takes in memory while nobody asks for anything, as it is started without settings: what all of
 * its processes have written to, and once what they read from files, such as the program itself. Other programs on the
 * machine that read the same files take nothing off it.
 *
 *   node bench/idle-memory.ts
 */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { startPlatform } from './platform.ts'
import { printRows, type Row } from './row.ts'
import { amount } from './trial.ts'

const SETTLED = amount(10_000, 0)
const TARGET = 180

/** Megabytes of a process and of everything it started. */
async function familyMegabytes(root: number | undefined): Promise<number> {
  const parents = new Map<number, number>()
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const isFamily = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === root || isFamily(parents.get(pid)))
  let written = 0
  let read = 0
  for (const pid of parents.keys())
    if (isFamily(pid)) {
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
      const kilobytes = (name: string) =>
        Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0)
      const anonymous = kilobytes('Anonymous')
      written += anonymous
      read = Math.max(read, kilobytes('Rss') - anonymous)
    }
  return (written + read) / 1024
}

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
