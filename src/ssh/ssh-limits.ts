import { MINUTE, SECOND } from '#contract/time.ts'

/** Of each process that serves. */
export interface SshLimits {
  readonly maxConnections: number
  readonly maxPerAddress: number
  /** Key exchanges that begin in so many milliseconds: each stops the process for some of them, for anybody who connects. */
  readonly handshakesAtOnce: number
  readonly handshakesMs: number
  /** Of all connections together, in both directions: what comes and goes is deciphered beside the visitors of sites. */
  readonly bytesPerSecond: number
  /** Until somebody has signed in. */
  readonly signInMs: number
  /** What somebody may send before that. */
  readonly signInBytes: number
  /** How often somebody who has signed in may exchange keys again, and for how many bytes once more. */
  readonly maxRekeys: number
  readonly rekeyBytes: number
  /** Keys that somebody may show: agents show one after the other. */
  readonly maxAttempts: number
  /** Commands at once on one connection. */
  readonly maxCommands: number
  /** The same of one user, on all connections: two megabytes of what is sent to each may wait in memory. */
  readonly maxCommandsOfUser: number
  /** Without a command. */
  readonly idleMs: number
}

export const DEFAULT_LIMITS: SshLimits = {
  maxConnections: 500,
  maxPerAddress: 50,
  handshakesAtOnce: 10,
  handshakesMs: 250,
  bytesPerSecond: 32 * 1024 * 1024,
  signInMs: 30 * SECOND,
  signInBytes: 256 * 1024,
  maxRekeys: 4,
  rekeyBytes: 64 * 1024 * 1024,
  maxAttempts: 20,
  maxCommands: 10,
  maxCommandsOfUser: 48,
  idleMs: MINUTE,
}
