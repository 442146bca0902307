export interface Clock {
  /** The time of day, in ms since the epoch: for what is told to people, and kept. It jumps when the machine's clock is set. */
  now(): number
  /** Ms since some moment, the same for all processes of a machine: for how long something takes or is good for. Never jumps. */
  monotonic(): number
}
