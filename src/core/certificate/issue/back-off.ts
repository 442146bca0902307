import { DAY, HOUR } from '#contract/time.ts'
import { IssueFailure } from '../../ports/certificate-issuer.ts'

/** How long nothing is tried after so many failures: an hour, doubling up to a day. */
export const backOff = (failures: number): number => Math.min(DAY, HOUR * 2 ** Math.min(failures - 1, 10))

/** What a failure says: how long to wait at least, and why, as it is kept. */
export const pauseAfter = (error: unknown): { readonly retryAfter: number; readonly reason: string } => ({
  retryAfter: error instanceof IssueFailure ? Math.ceil(error.retryAfter ?? 0) : 0,
  reason: (error instanceof Error ? error.message : String(error)).slice(0, 1000),
})
