import { redact, redactUrl } from './redact.ts'
import type { Prepared } from './request.ts'
import type { TextAnswer } from './send-text.ts'

/** What a client did, already safe to print: the token and everything under a secret's name is redacted. */
export type Trace =
  | {
      readonly kind: 'request'
      readonly method: string
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      readonly body: unknown
    }
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly ms: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: unknown
    }
  | { readonly kind: 'failure'; readonly message: string }
  | { readonly kind: 'wait'; readonly ms: number; readonly why: string }

type Headers_ = Readonly<Record<string, string>>

export const traceRequest = (request: Prepared, token: string | undefined): Trace => ({
  kind: 'request',
  method: request.method,
  url: redactUrl(request.url, token),
  headers: redact(request.headers, token) as Headers_,
  body: typeof request.body === 'string' ? readable(request.body, token) : undefined,
})

export const traceAnswer = (
  response: TextAnswer,
  text: string | undefined,
  ms: number,
  token: string | undefined,
): Trace => ({
  kind: 'answer',
  status: response.status,
  ms,
  headers: redact(Object.fromEntries(response.headers.entries()), token) as Headers_,
  body: text === undefined ? undefined : readable(text, token),
})

/** Only JSON is shown: names tell which of its values are secrets. Other text is told by its size. */
const readable = (text: string, token: string | undefined): unknown => {
  if (text === '') return undefined
  try {
    return redact(JSON.parse(text), token)
  } catch {
    return `(${text.length} characters)`
  }
}
