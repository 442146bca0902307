import type { EdgeErrorCode } from './error-answer.ts'

/** An error on its way to the visitor, with the headers that belong to it. */
export interface Refusal {
  readonly code: EdgeErrorCode
  readonly headers: readonly string[]
}
