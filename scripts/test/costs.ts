import { appendFileSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** What one file took: seconds from its begin to its end, and seconds of processor time, its children's among them. */
export interface Cost {
  readonly file: string
  readonly seconds: number
  readonly cpu: number
  /** When it began, in milliseconds of the clock. */
  readonly begun?: number
}

/** How many parts of a second Linux counts processor time in. */
const TICKS = 100

/**
 * Seconds of processor time of all children that have ended, and of theirs. The system adds those of a child the moment
 * it has ended. Nothing but Linux says so: elsewhere it stays nought.
 */
export function ofEndedChildren(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // The name of the program, in brackets, may have blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) / TICKS
  } catch {
    return 0
  }
}

/** Seconds of processor time of this process so far, with those of children that have ended. */
export function ofThisProcess(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + ofEndedChildren()
}

/** A process of many files writes a line for each of them here, for the process that began it. */
export const appendCost = (to: string, cost: Cost): void => appendFileSync(to, `${JSON.stringify(cost)}\n`)

export function readCosts(from: string): Cost[] {
  const lines = readFileSync(from, { encoding: 'utf8', flag: 'a+' }).split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

const row = (file: string, seconds: string, cpu: string): string =>
  `${seconds.padStart(9)} ${cpu.padStart(9)}  ${file}\n`

/** What all cores have done since the machine was started, in parts of a second. */
interface CoreTimes {
  readonly busy: number
  readonly idle: number
  /** Idle as well, but something waited for a disk. */
  readonly disk: number
}

/** Of the whole machine, and so also of what no process has waited for the end of, as the parts of a browser. */
export function timesOfCores(): CoreTimes {
  try {
    const [, ...fields] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/) ?? []
    const [user = 0, nice = 0, system = 0, idle = 0, disk = 0, irq = 0, softIrq = 0] = fields.map(Number)
    return { busy: user + nice + system + irq + softIrq, idle, disk }
  } catch {
    const all = cpus().map(({ times }) => times)
    const busy = all.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0)
    return { busy, idle: all.reduce((sum, { idle }) => sum + idle, 0), disk: 0 }
  }
}

/** What the cores did in between, in words. */
export function describeCores(from: CoreTimes, to: CoreTimes): string {
  const [busy, idle, disk] = [to.busy - from.busy, to.idle - from.idle, to.disk - from.disk]
  const percent = (part: number) => `${Math.round((100 * part) / (busy + idle + disk || 1))} %`
  return `the cores of the machine were busy ${percent(busy)} of the time, and waited for a disk ${percent(disk)}\n`
}

/** The files that took longest, and the processor time of everything. */
export function slowest(costs: readonly Cost[], most: number, cpuOfAll: number): string {
  const first = costs.toSorted((a, b) => b.seconds - a.seconds).slice(0, most)
  return [
    row('the slowest files', 'seconds', 'of CPU'),
    ...first.map(({ file, seconds, cpu }) => row(file, seconds.toFixed(1), cpu.toFixed(1))),
    `${(cpuOfAll / 60).toFixed(1)} minutes of CPU in all\n`,
  ].join('')
}

/** All files in the order in which they were begun. */
export function timeline(costs: readonly Cost[]): string {
  const begun = costs.toSorted((a, b) => (a.begun ?? 0) - (b.begun ?? 0))
  const first = begun[0]?.begun ?? 0
  const rows = begun.map(
    ({ file, seconds, cpu, begun = 0 }) =>
      `${((begun - first) / 1000).toFixed(1).padStart(9)}${row(file, seconds.toFixed(1), cpu.toFixed(1))}`,
  )
  return [`    begun${row('file', 'seconds', 'of CPU')}`, ...rows].join('')
}

/** Files that take less are all the same for the order. */
const SHORT = 2

/** The table that the next run is ordered by. */
export function timesOf(costs: readonly Cost[]): string {
  const long = costs
    .filter(({ seconds }) => seconds >= SHORT)
    .map(({ file, seconds }) => [file, Math.round(seconds)])
  return `${JSON.stringify(Object.fromEntries(long.sort()), undefined, 2)}\n`
}
