import type { Readable } from 'node:stream'

/**
 * Sends requests to addresses that users gave. Never to this machine or a network around it, never after a
 * redirect, never for longer than it is told.
 */
export interface Outbound {
  /** Rejects with an `OutboundFailure` when there was no answer. */
  post(request: OutboundRequest): Promise<OutboundAnswer>
  /** The same with any method. */
  send(request: OutboundRequest & { readonly method: string }): Promise<OutboundAnswer>
  /** The same, with all of the answer as it comes. It has to be read or destroyed. */
  open(request: Omit<OutboundRequest, 'maxBytes'> & { readonly method: string }): Promise<OutboundStream>
  close(): void
}

export interface OutboundStream {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

interface OutboundRequest {
  /** Of the scheme http or https. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** What is read of the answer; some kilobytes unless it says more. */
  readonly maxBytes?: number
}

export interface OutboundAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The beginning of it. */
  readonly bytes: Buffer
  readonly text: string
}

export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure'
  readonly reason: 'private-address' | 'unknown-host' | 'timeout' | 'connection'

  constructor(reason: OutboundFailure['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
