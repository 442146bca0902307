import { MINUTE } from '#contract/time.ts'

export interface ListenerLimits {
  /** Of all headers of a request together, request line included. */
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  /** From the first byte of a connection or request until its headers are complete. */
  readonly headersTimeoutMs: number
  /** The same until the body is complete: long enough for a large upload on a slow line. */
  readonly requestTimeoutMs: number
  /** How long an idle connection is kept for the next request. */
  readonly keepAliveMs: number
  /** A peer that owes us bytes, or does not take ours, is cut after this long without any progress. */
  readonly stallMs: number
  readonly handshakeMs: number
  /** HTTP/2: requests at a time on one connection. */
  readonly maxStreams: number
  /** At a time. */
  readonly maxConnections: number
  /**
   * HTTP/2: bytes of bodies that peers may send before anybody reads them, beyond the 64 KB that every connection may; of all
   * connections together, and of those of one address.
   */
  readonly maxAhead: number
  readonly maxAheadOfSource: number
  /** HTTP/2: megabytes one connection may hold in buffers before new streams are refused. */
  readonly maxSessionMemory: number
}

export const DEFAULT_LIMITS: ListenerLimits = {
  maxHeaderBytes: 32 * 1024,
  maxHeaders: 200,
  headersTimeoutMs: 20_000,
  requestTimeoutMs: 30 * MINUTE,
  keepAliveMs: 65_000,
  stallMs: 2 * MINUTE,
  handshakeMs: 10_000,
  maxStreams: 128,
  maxConnections: Number.POSITIVE_INFINITY,
  maxAhead: 128 * 1024 * 1024,
  maxAheadOfSource: 32 * 1024 * 1024,
  maxSessionMemory: 32,
}

/**
 * A peer whose machine is gone says nothing any more. Asked by the system after this much silence, and once a second
 * from then on, it counts as gone after the tenth time.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelay: 10_000 } as const
