import type { Endpoint } from '#contract/endpoint.ts'
import { type AloftError, codeOf, ERRORS, type ErrorSpec } from '#contract/errors.ts'
import { isOld } from '#contract/generation.ts'

interface ErrorAnswer {
  readonly status: number
  readonly body: { readonly error: Readonly<Record<string, unknown>> }
}

/** An error in the words of the endpoint's generation. Without a row it is the current one. */
export function speakError(error: AloftError, row: Endpoint | undefined, site: string): ErrorAnswer {
  const old = row !== undefined && isOld(row.gen)
  const spec: ErrorSpec = ERRORS[error.kind]
  const code = codeOf(error.kind, old)
  const status = error.kind === 'auth_failed' ? (row?.unauthenticated ?? spec.status) : spec.status
  const help = old ? { url: `${site}/errors/${spec.family ? `${spec.family}/` : ''}${code}` } : {}
  return { status, body: { error: { code, message: error.message, ...error.extra, ...help } } }
}
