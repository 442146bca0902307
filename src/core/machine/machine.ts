import { DAY } from '#contract/time.ts'

/** What a machine does. A machine that does both is listed twice. */
export type MachineRole = 'serve' | 'work'

/** What a machine reports of itself at short intervals. */
export interface MachineReport {
  /** Stays the same from one start to the next. */
  readonly name: string
  readonly role: MachineRole
  readonly version: string
  readonly origin: string
  /** Where other machines reach its functions, as `address:port`. */
  readonly address: string | undefined
  /** The addresses at which visitors reach it, for answers in DNS. A machine that does not serve has none. */
  readonly publicAddresses: readonly string[]
  /** The load of the last minute, divided by the number of processors. */
  readonly load: number
  readonly memory: { readonly free: number; readonly total: number }
  readonly disk: { readonly free: number; readonly total: number }
  readonly startedAt: number
}

export interface Machine extends MachineReport {
  /** How long ago it was last heard of, in milliseconds of the database's clock. */
  readonly heardAgo: number
  /** Whether it is given no new work. */
  readonly isDraining: boolean
}

/** The machines of an installation, for all of them to read. */
export interface MachineStore {
  /** Answers false and stores nothing if the machine was removed. */
  report(report: MachineReport): Promise<boolean>
  /** All machines, in the order of their names. */
  list(): Promise<readonly Machine[]>
  /** Answers false if there is no such machine. */
  setDraining(name: string, isDraining: boolean): Promise<boolean>
  /** Removes it for good. Answers false if there is no such machine. */
  remove(name: string): Promise<boolean>
  /** The names of all machines that were removed. */
  removed(): Promise<ReadonlySet<string>>
}

/** A machine that was not heard of for longer does not count. */
export const SILENT_MS = 5_000
/** A machine that was silent for longer is forgotten: it was taken away. */
export const FORGOTTEN_MS = 7 * DAY

export const isAlive = ({ heardAgo }: Machine): boolean => heardAgo < SILENT_MS

/** More than one works at a time only while one takes the place of another. */
const MOST_SEATS = 4

/** What the working processes of a machine are called: the one with this seat first. */
export function workerNames(machine: string, seat = 0): readonly [string, ...string[]] {
  const name = (n: number) => (n === 0 ? machine : `${machine}.${n}`)
  const others = Array.from({ length: MOST_SEATS }, (_, n) => n).filter((n) => n !== seat)
  return [name(seat), ...others.map(name)]
}
