import { AloftError, codeOf, ERRORS, type ErrorKind, type ErrorSpec } from '#contract/errors.ts'
import { html } from '#contract/html.ts'
import { page } from '../answer/page.ts'

/** The explanation behind the help link of an older error body. */
export function explainError(code: string, family?: string): string {
  const kinds = (Object.keys(ERRORS) as ErrorKind[]).filter((kind) => {
    const spec: ErrorSpec = ERRORS[kind]
    return (
      (codeOf(kind, true) === code || codeOf(kind, false) === code) &&
      (family === undefined || spec.family === family)
    )
  })
  const kind = kinds[0]
  if (kind === undefined) throw new AloftError('not_found', 'There is no such error code.')
  const spec: ErrorSpec = ERRORS[kind]
  return page(
    code,
    html`<p>${spec.meaning}</p><dl><dt>Status</dt><dd>${spec.status}</dd></dl><p class="soft">See <a href="/docs">the API reference</a> for what the endpoint accepts.</p>`,
  )
}
