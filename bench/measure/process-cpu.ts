import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_A_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
/** Less than so many CPU seconds are not told from none. */
export const SHORTEST = 1 / TICKS_A_SECOND

interface Stat {
  readonly pid: number
  readonly parent: number
  /** Ticks of the process itself, with threads that have ended. */
  readonly own: number
  /** Ticks of the children it has waited for. */
  readonly waitedFor: number
}

function readStat(text: string): Stat {
  // The name in the second field may hold anything, so the others are counted from its end.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const sum = (from: number) => (fields[from] ?? 0) + (fields[from + 1] ?? 0)
  return { pid: Number.parseInt(text, 10), parent: fields[1] ?? 0, own: sum(11), waitedFor: sum(13) }
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

/** What threads that have ended used, by process. */
const ofEnded = new Map<number, number>()

/**
 * A tick is as much as a hundredth of a round, and each process has two that are not full. The threads that still run are counted
 * to the nanosecond; what those that have ended used is known in ticks alone, and is looked at again only after another has ended.
 */
function secondsOf({ pid, own, waitedFor }: Stat): number {
  let nanoseconds = 0
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`))
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    // It, or one of its threads, has ended meanwhile.
  }
  const ended = own / TICKS_A_SECOND - nanoseconds / 1e9
  const known = ofEnded.get(pid)
  if (known === undefined || Math.abs(ended - known) > 2 * SHORTEST) ofEnded.set(pid, ended)
  return nanoseconds / 1e9 + (ofEnded.get(pid) ?? 0) + waitedFor / TICKS_A_SECOND
}

/** A process and everything that it has started and that still runs. */
const treeOf = (root: number, stats: readonly Stat[]): Stat[] =>
  stats.flatMap((stat) => {
    if (stat.pid === root) return [stat]
    return stat.parent === root ? treeOf(stat.pid, stats) : []
  })

export const processTree = (root: number): number[] => treeOf(root, readAll()).map(({ pid }) => pid)

/** CPU seconds that processes have used so far, with everything they have started or without. */
export async function cpuSecondsOf(pids: readonly number[], withChildren: boolean): Promise<number> {
  const stats = readAll()
  const counted = withChildren
    ? pids.flatMap((pid) => treeOf(pid, stats))
    : stats.filter(({ pid }) => pids.includes(pid))
  return counted.reduce((sum, stat) => sum + secondsOf(stat), 0)
}

/** CPU seconds that one process has used so far. */
export function cpuSecondsOfOne(pid: number): number {
  try {
    return secondsOf(readStat(readFileSync(`/proc/${pid}/stat`, 'utf8')))
  } catch {
    return 0
  }
}

/** CPU seconds that the whole machine has used so far, with those that other machines on the same hardware took from it. */
export function busySeconds(): number {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] as string
  )
    .split(/ +/)
    .map(Number)
  return (user + nice + system + irq + softirq + steal) / TICKS_A_SECOND
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
