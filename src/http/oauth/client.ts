import type { IncomingHttpHeaders } from 'node:http'
import { invalidRequest } from '#contract/errors.ts'

interface ClientClaim {
  readonly id: string | undefined
  readonly secret: string | undefined
}

const BASIC = /^basic +([A-Za-z0-9+/=_-]+) *$/i

/** Who a client says it is: in the body, or in the `Authorization` header, where both parts are encoded for forms. */
export function readClient(
  { authorization }: IncomingHttpHeaders,
  body: { readonly client_id?: string; readonly client_secret?: string },
): ClientClaim {
  const inBody = { id: body.client_id, secret: body.client_secret }
  const encoded = BASIC.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return inBody
  const [id, ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  const claim = { id: decodePart(id ?? ''), secret: decodePart(rest.join(':')) }
  if (inBody.id !== undefined && inBody.id !== claim.id)
    throw invalidRequest('the body and the header name different clients')
  return claim
}

const decodePart = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalidRequest('the `Authorization` header is malformed')
  }
}
