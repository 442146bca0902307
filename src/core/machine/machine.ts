import { DAY } from '#contract/time.ts'

/** What a machine does; one that does both is listed for each. */
export type MachineRole = 'serve' | 'work'

/** What a machine says of itself, again and again. */
export interface MachineReport {
  /** The same at every start. */
  readonly name: string
  readonly role: MachineRole
  readonly version: string
  readonly origin: string
  /** Where other machines reach its functions, as `address:port`. */
  readonly address: string | undefined
  /** Under which visitors reach it, for answers in DNS; none where it does not serve. */
  readonly publicAddresses: readonly string[]
  /** Of the last minute, for each processor. */
  readonly load: number
  readonly memory: { readonly free: number; readonly total: number }
  readonly disk: { readonly free: number; readonly total: number }
  readonly startedAt: number
}

export interface Machine extends MachineReport {
  /** How long ago it was last heard of, in milliseconds of the database's clock. */
  readonly heardAgo: number
  /** It is to be left alone: nothing new is given to it. */
  readonly isDraining: boolean
}

/** The machines of an installation, for all of them to read. */
export interface MachineStore {
  /** False, and nothing is noted, where the machine was removed. */
  report(report: MachineReport): Promise<boolean>
  /** By name. */
  list(): Promise<readonly Machine[]>
  /** False where there is no such machine. */
  setDraining(name: string, isDraining: boolean): Promise<boolean>
  /** For good. False where there is no such machine. */
  remove(name: string): Promise<boolean>
  /** The names of all that were. */
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
