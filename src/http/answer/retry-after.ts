import { IssueFailure } from '#core/ports/certificate-issuer.ts'

const USUAL = 10

/** After how many seconds what is unavailable is worth another request, by what made it so. */
export const retryAfterFor = (cause: unknown): number =>
  cause instanceof IssueFailure && cause.retryAfter !== undefined
    ? Math.max(1, Math.ceil(cause.retryAfter / 1000))
    : USUAL
