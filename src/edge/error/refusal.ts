import type { EdgeErrorCode } from './error-answer.ts'

/** An error on its way to the visitor, with the headers that belong to it. */
export interface Refusal {
  readonly code: EdgeErrorCode
  readonly headers: readonly string[]
  /** More about why, for the log of the deployment and for no visitor. */
  readonly detail?: string
}

export const refuse = (code: EdgeErrorCode): Refusal => ({ code, headers: [] })

/** What went wrong, for the log; undefined when it is not the site that failed. */
export const reasonOf = ({ code, detail }: Refusal, status: number): string | undefined =>
  status < 500 ? undefined : detail === undefined ? code : `${code}: ${detail}`
