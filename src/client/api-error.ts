/** What Aloft, or something in its place, answered instead of success. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** What the error's body holds besides its code and message. */
  readonly extra: Readonly<Record<string, unknown>>
  /** Finds the request in the installation's log. */
  readonly requestId: string | undefined
  /** How long the answer asks to be left alone. */
  readonly retryAfterMs: number | undefined

  constructor(details: {
    readonly status: number
    readonly code: string
    readonly message: string
    readonly extra?: Readonly<Record<string, unknown>>
    readonly requestId?: string | undefined
    readonly retryAfterMs?: number | undefined
  }) {
    super(details.message)
    this.name = 'ApiError'
    this.status = details.status
    this.code = details.code
    this.extra = details.extra ?? {}
    this.requestId = details.requestId
    this.retryAfterMs = details.retryAfterMs
  }
}

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404

/** The code of an answer that no Aloft gives: another program stands at the address. */
export const UNEXPECTED_ANSWER = 'unexpected_answer'
