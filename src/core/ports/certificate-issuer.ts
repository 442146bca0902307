export interface IssuedCertificate {
  /** The certificate, followed by those between it and its authority. */
  readonly cert: string
  readonly key: string
}

/** Called before each order at an authority that others share. */
export type BeforeOrder = () => Promise<void>

/** An authority that makes certificates. It may take a minute, and it may refuse. */
export interface CertificateIssuer {
  /**
   * All names in one certificate. Rejects with an `IssueFailure` when the authority says no. It may take several orders; what
   * `beforeOrder` throws ends it.
   */
  issue(names: readonly string[], signal: AbortSignal, beforeOrder?: BeforeOrder): Promise<IssuedCertificate>
  /** Whether `issue` answers within a moment and costs nothing, so that it can be asked during a handshake. */
  readonly instant: boolean
  /** Whether it convinces itself that names lead here before it makes a certificate out to them. */
  readonly checksNames: boolean
}

export class IssueFailure extends Error {
  override readonly name = 'IssueFailure'
  /** Another attempt before this many milliseconds is in vain. */
  readonly retryAfter: number | undefined

  constructor(message: string, retryAfter?: number, options?: ErrorOptions) {
    super(message, options)
    this.retryAfter = retryAfter
  }
}
