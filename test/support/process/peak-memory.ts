import { readdir, readFile, writeFile } from 'node:fs/promises'

const statusOf = (pid: number | string) => readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
const megabytes = (status: string, field: string): number | undefined => {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024)
}

/** The most memory that the process used so far, in MB; undefined once it is gone. */
export const peakOf = async (pid: number): Promise<number | undefined> =>
  megabytes(await statusOf(pid), 'VmHWM')

/** Has the most memory of a process counted from now on; answers what it uses, in MB. */
export async function forgetPeak(pid: number): Promise<number> {
  await writeFile(`/proc/${pid}/clear_refs`, '5')
  return megabytes(await statusOf(pid), 'VmRSS') ?? Number.NaN
}

/**
 * Looks again and again, while the work goes on, at the programs of this name that a process started, directly or not.
 * Answers the most memory of its own that one of them used, in MB: without files that it only looks into.
 */
export async function peakOfPrograms<T>(
  ancestor: number,
  name: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly peak: number; readonly seen: number }> {
  let [peak, isOver] = [0, false]
  const seen = new Set<string>()
  const watching = (async () => {
    while (!isOver) {
      const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))
      const all = new Map(await Promise.all(pids.map(async (pid) => [pid, await statusOf(pid)] as const)))
      const parentOf = (pid: string) => /^PPid:\s+(\d+)$/m.exec(all.get(pid) ?? '')?.[1]
      const isOurs = (pid: string | undefined): boolean =>
        pid !== undefined && pid !== '0' && (pid === String(ancestor) || isOurs(parentOf(pid)))
      for (const [pid, status] of all) {
        if (/^Name:\s+(.+)$/m.exec(status)?.[1] !== name || !isOurs(pid)) continue
        seen.add(pid)
        peak = Math.max(peak, megabytes(status, 'RssAnon') ?? 0)
      }
      await new Promise((next) => setTimeout(next, 50))
    }
  })()
  try {
    return { result: await work(), peak, seen: seen.size }
  } finally {
    isOver = true
    await watching
  }
}
