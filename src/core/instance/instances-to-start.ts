/** What is known of a program some of whose requests wait for an instance. */
export interface ProgramLoad {
  /** Requests that no instance has yet. */
  readonly waiting: number
  /** Requests that an instance has at once. */
  readonly concurrency: number
  /** Instances that take requests. */
  readonly ready: number
  /** Instances on their way. */
  readonly starting: number
  readonly most: number
  /** Undefined where nobody can tell, or where none of its requests has ended for a while. */
  readonly processor: ProcessorLoad | undefined
}

/** What the processor was used for in the last moments, in cores. */
export interface ProcessorLoad {
  readonly cores: number
  /** That nobody used. */
  readonly idle: number
  /** What the instances that take requests used. */
  readonly used: number
}

/** The part of all cores with which the instances of a program count as what keeps them busy. */
const LARGE_PART = 1 / 8
/** In cores: with less than this another instance does not do much. */
const LEAST_IDLE = 1 / 4

/**
 * How many more instances the requests that wait are worth: as many as those would fill and idle cores have room for. Another one
 * would do nothing that those there are would not do as soon, and share the cores with them: the requests are answered sooner in
 * line. A program that uses little of the processor, because its requests wait for something else or others keep the cores
 * busy, gets more all the same. Then they double, as the next look may tell otherwise.
 */
export function instancesToStart(load: ProgramLoad): number {
  const { waiting, concurrency, ready, starting, most, processor } = load
  const wanted = Math.min(most, ready + Math.ceil(waiting / concurrency)) - ready - starting
  if (wanted <= 0 || processor === undefined) return Math.max(0, wanted)
  const { cores, idle, used } = processor
  // What starts has a core to itself for that time.
  const each = ready === 0 ? 1 : Math.min(1, Math.max(LEAST_IDLE, used / ready))
  const room = idle < LEAST_IDLE ? 0 : Math.max(1, Math.floor(idle / each)) - starting
  const doubled = ready > 0 && used < cores * LARGE_PART ? ready + starting : 0
  return Math.min(wanted, Math.max(0, room, doubled))
}
