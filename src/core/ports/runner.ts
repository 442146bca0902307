import type { Socket } from 'node:net'

/** One program of one deployment. */
export interface ProgramRef {
  readonly deploymentId: string
  /** The `id` of the program in the deployment's output. */
  readonly program: string
}

/** Leave to send one request to an instance. */
export interface Lease {
  readonly instanceId: string
  /** The path of a unix socket on which the instance speaks HTTP/1.1 with keep-alive. */
  readonly socket: string
  /** How it is reached where it is on another machine; `socket` then only tells it apart from others. */
  readonly connect?: (() => Socket) | undefined
  /** Whether the request waited for this instance to start. */
  readonly isCold?: boolean
  /**
   * Exactly once, when the exchange is over.
   * - `broken`: the instance closed the connection, or could not be connected to
   * - `stuck`: it took longer than a request may
   */
  release(end?: 'broken' | 'stuck'): void
  /**
   * After it was released as `broken`: whether it ended together with the process or the node that ran it, which no request
   * can bring about. False as soon as that process is heard of and knows of no such thing.
   */
  isHostLost?(): Promise<boolean>
}

export interface LeaseOptions {
  /** Requests with the same text go to the same instance while it lives. */
  readonly affinity?: string | undefined
  /** To this instance and no other; `absent` where it is not there. */
  readonly instance?: string | undefined
  /** On a machine of one of these regions if there is one; anywhere where this is absent. */
  readonly regions?: readonly string[] | undefined
  /** Aborted when the visitor is gone. */
  readonly signal?: AbortSignal
}

/**
 * Gives requests to instances of programs. Where one is running and free the answer comes within the call; else one is
 * woken or started and the request waits.
 */
export interface Runner {
  lease(program: ProgramRef, options?: LeaseOptions): Lease | Promise<Lease>
}

/**
 * - `crashed`: it ends or fails while it starts; the message is for the log of the deployment
 * - `absent`: there is no such program any more
 * - `unavailable`: nothing runs programs at the moment, or none became free in time
 */
export type RunnerFault = 'crashed' | 'absent' | 'unavailable'

export class RunnerError extends Error {
  override readonly name = 'RunnerError'
  readonly fault: RunnerFault

  constructor(fault: RunnerFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
  }
}

/** What became of a program that was started to see whether it runs. */
export type Booted = { readonly listening: true } | { readonly finished: number }

/** Starts an instance now, unless one runs. Rejects with a `RunnerError` where it cannot be started. */
export type BootProgram = (program: ProgramRef) => Promise<Booted>
