import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_A_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
/** Less than so many CPU seconds are not told from none. */
export const SHORTEST = 1 / TICKS_A_SECOND

interface Stat {
  readonly pid: number
  readonly parent: number
  /** Of the process itself and of the children it has waited for. */
  readonly ticks: number
}

function readStat(text: string): Stat {
  // The name in the second field may hold anything, so the others are counted from its end.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0)
  return { pid: Number.parseInt(text, 10), parent: Number(fields[1]), ticks }
}

/** Nothing of it waits for a disk: to read each of them aside takes five times the processor time. */
function readAll(): readonly Stat[] {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return names.flatMap((name) => {
    try {
      return [readStat(readFileSync(`/proc/${name}/stat`, 'utf8'))]
    } catch {
      // It has ended meanwhile.
      return []
    }
  })
}

/** CPU seconds that processes have used so far, with everything they have started or without. */
export async function cpuSecondsOf(pids: readonly number[], withChildren: boolean): Promise<number> {
  const stats = readAll()
  let ticks = 0
  const todo = [...pids]
  for (let next = todo.pop(); next !== undefined; next = todo.pop())
    for (const { pid, parent, ticks: used } of stats) {
      if (pid === next) ticks += used
      if (parent === next && withChildren) todo.push(pid)
    }
  return ticks / TICKS_A_SECOND
}

/** CPU seconds that one process has used so far. */
export function cpuSecondsOfOne(pid: number): number {
  try {
    return readStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).ticks / TICKS_A_SECOND
  } catch {
    return 0
  }
}

/** The same of a process of one thread, to the nanosecond; undefined when it is over. */
export function exactCpuSeconds(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9
  } catch {
    return undefined
  }
}

/** CPU seconds that a process and everything it started have used so far. */
export const cpuSeconds = (root: number | undefined): Promise<number> =>
  cpuSecondsOf(root === undefined ? [] : [root], true)
