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
  /** What the instances that take requests used of it, or would have used had others not been before them. */
  readonly demand: number
}

/** The part of a busy machine that a program may want before its instances count as what keeps the cores busy. */
const SMALL_PART = 1 / 8
/** In cores: with less than this another instance does not do much. */
const LEAST_IDLE = 1 / 4

/**
 * How many more instances the requests that wait are worth. As long as cores are idle, and for a program whose requests wait
 * for something else than the processor, as many as those requests would fill. Otherwise another instance would do nothing that
 * those there are would not do as soon, and share the cores with them: the requests are answered sooner in line.
 */
export function instancesToStart(load: ProgramLoad): number {
  const { waiting, concurrency, ready, starting, most, processor } = load
  const wanted = Math.min(most, ready + Math.ceil(waiting / concurrency)) - ready - starting
  if (wanted <= 0 || processor === undefined) return Math.max(0, wanted)
  const { cores, idle, demand } = processor
  if (ready > 0 && demand < cores * SMALL_PART) return wanted
  if (idle < LEAST_IDLE) return 0
  // What starts has a core to itself for that time.
  const each = ready === 0 ? 1 : Math.min(1, Math.max(LEAST_IDLE, demand / ready))
  return Math.min(wanted, Math.max(0, Math.max(1, Math.floor(idle / each)) - starting))
}
