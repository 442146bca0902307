import { AloftError } from '#contract/errors.ts'

/** The store does not answer now and may later; anything else will not get better by waiting. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof AloftError && error.kind === 'service_unavailable'
