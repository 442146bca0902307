import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { MINUTE, SECOND } from '#contract/time.ts'

const TICK_MS = 2 * SECOND
/** The share of the time in which the event loop had something to do, up to which a process counts as idle. */
const IDLE = 0.02
/** Ticks in a row: whoever asks once often asks again. */
const IDLE_TICKS = 2
/** What collecting has to be worth: whoever comes in the tenth of a second that it takes has to wait. */
const GROWTH_BYTES = 8 * 1024 * 1024
const LEAST_TICKS_BETWEEN = (10 * MINUTE) / TICK_MS
/** After this much growth, it is worth it sooner. */
const MUCH_GROWTH_BYTES = 32 * 1024 * 1024
const LEAST_TICKS_AFTER_MUCH = MINUTE / TICK_MS

interface Heap {
  /** How busy the process was since it was asked last, from 0 to 1. */
  readonly busy: () => number
  /** What the engine has taken from the system. */
  readonly bytes: () => number
  readonly collect: () => void
}

/**
 * The engine keeps the memory that a start or a rush of requests took, in case of another, and lets go of it only when it
 * collects everything, for which an idle process has no reason. Answers what is to be done at every tick.
 */
export function createIdleTick({ busy, bytes, collect }: Heap): () => void {
  let idleTicks = 0
  let sinceLast = LEAST_TICKS_BETWEEN
  let kept = 0
  return () => {
    sinceLast++
    idleTicks = busy() <= IDLE ? idleTicks + 1 : 0
    if (idleTicks < IDLE_TICKS || sinceLast < LEAST_TICKS_AFTER_MUCH) return
    const least = sinceLast < LEAST_TICKS_BETWEEN ? MUCH_GROWTH_BYTES : GROWTH_BYTES
    if (bytes() - kept < least) return
    collect()
    kept = bytes()
    idleTicks = 0
    sinceLast = 0
  }
}

/** The engine's own collector, which programs do not see unless it is asked for. */
function findCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options: object) => void
  // Any other kind keeps the room in which new objects are made, which is the largest part of it.
  return () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Gives back what was needed for a moment, once nothing is going on. */
export function giveBackWhenIdle(): void {
  let before = performance.eventLoopUtilization()
  let collector: (() => void) | undefined
  const tick = createIdleTick({
    busy() {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      return utilization
    },
    bytes: () => getHeapStatistics().total_heap_size,
    collect() {
      collector ??= findCollector()
      collector()
    },
  })
  setInterval(tick, TICK_MS).unref()
}
