import { MINUTE, SECOND } from '#contract/time.ts'

/** Of each process that serves. */
export interface SshLimits {
  readonly maxConnections: number
  readonly maxPerAddress: number
  /** Until somebody has signed in. */
  readonly signInMs: number
  /** Keys that somebody may show: agents show one after the other. */
  readonly maxAttempts: number
  /** Commands at once on one connection. */
  readonly maxCommands: number
  /** Without a command. */
  readonly idleMs: number
}

export const DEFAULT_LIMITS: SshLimits = {
  maxConnections: 500,
  maxPerAddress: 50,
  signInMs: 30 * SECOND,
  maxAttempts: 20,
  maxCommands: 10,
  idleMs: MINUTE,
}
