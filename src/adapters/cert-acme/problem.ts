import { IssueFailure } from '#core/ports/certificate-issuer.ts'

const PREFIX = 'urn:ietf:params:acme:error:'
const MAX_WORDS = 1000

interface Details {
  /** Without the prefix that all of them have; empty when the authority gave none. */
  readonly type: string
  /** Milliseconds. */
  readonly retryAfter?: number | undefined
}

/** What an authority says when it does not do as it is asked. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly type: string
  readonly retryAfter: number | undefined

  constructor(words: string, { type, retryAfter }: Details) {
    super(plain(words))
    this.type = type
    this.retryAfter = retryAfter
  }
}

/** Words of others end up in answers and logs: one line, and not an endless one. */
const plain = (words: string): string => words.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, MAX_WORDS)

/** Reads a problem document; whatever else it is becomes one that says so. */
export function readProblem(document: unknown, otherwise: string, retryAfter?: number): Problem {
  const { type, detail, subproblems } = (
    typeof document === 'object' && document !== null ? document : {}
  ) as Record<string, unknown>
  const words = [detail, ...(Array.isArray(subproblems) ? subproblems.map((sub) => sub?.detail) : [])]
  return new Problem(words.filter((each) => typeof each === 'string').join('; ') || otherwise, {
    type: typeof type === 'string' && type.startsWith(PREFIX) ? type.slice(PREFIX.length) : '',
    retryAfter,
  })
}

export const asFailure = (error: unknown): IssueFailure =>
  error instanceof IssueFailure
    ? error
    : new IssueFailure(
        error instanceof Error ? plain(error.message) : 'The certificate authority could not be asked',
        error instanceof Problem ? error.retryAfter : undefined,
        { cause: error },
      )
