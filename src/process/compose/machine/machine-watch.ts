import { SECOND } from '#contract/time.ts'
import { isAlive, type Machine, type MachineStore, SILENT_MS } from '#core/machine/machine.ts'
import { originsOf } from '#core/machine/placement.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'

/** How often a machine is heard of, and looks at the others. */
export const BEAT = SECOND

/** What this process knows of the machines of the installation. One with a database of its own knows of none. */
export interface MachineWatch {
  /** Those that were heard of lately. While the database is away, those known last. */
  alive(): readonly Machine[]
  /** The regions that machines of the installation are in, the lost ones included; undefined until that is known. */
  origins(): ReadonlySet<string> | undefined
  /** The names of those that are part of the installation no more. */
  removed(): ReadonlySet<string>
  /** Called whenever the machines were looked at. */
  onLook(listener: () => void): () => void
  start(): void
  stop(): void
}

/** `machines` absent: there are no others. */
export function createMachineWatch(
  machines: Pick<MachineStore, 'list' | 'removed'> | undefined,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): MachineWatch {
  const listeners = new Set<() => void>()
  let known: readonly Machine[] = []
  let origins: ReadonlySet<string> | undefined = machines === undefined ? new Set() : undefined
  let removed: ReadonlySet<string> = new Set()
  let stop: (() => void) | undefined
  /** When the database is back, nobody was heard of while it was away: until then silence says nothing. */
  let silenceCountsAt = 0

  async function readMachines(store: Pick<MachineStore, 'list' | 'removed'>): Promise<void> {
    try {
      const listed = await store.list()
      removed = await store.removed()
      origins = originsOf(listed)
      const before = new Set(clock.monotonic() < silenceCountsAt ? known.map(keyOf) : [])
      known = listed.filter((machine) => isAlive(machine) || before.has(keyOf(machine)))
    } catch (err) {
      log.debug({ err }, 'other machines could not be listed')
      silenceCountsAt = clock.monotonic() + SILENT_MS
      return
    }
    for (const listener of listeners) listener()
  }

  return {
    alive: () => known,
    origins: () => origins,
    removed: () => removed,
    onLook(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    start() {
      if (machines !== undefined) stop ??= every(BEAT, () => readMachines(machines))
    },
    stop() {
      stop?.()
    },
  }
}

/** Whether a machine is to be left alone. */
export const createIsDraining =
  ({ alive }: MachineWatch, own: string) =>
  (): boolean =>
    alive().some(({ name, isDraining }) => name === own && isDraining)

const keyOf = ({ name, role }: Machine): string => `${role} ${name}`

/** At once, and then again and again, never twice at the same time. */
export function every(ms: number, work: () => Promise<void>): () => void {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const turn = async () => {
    await work()
    if (!isStopped) timer = setTimeout(() => void turn(), ms).unref()
  }
  void turn()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
