import { createHmac } from 'node:crypto'

/** Ours, and the one that receivers written for another platform look for. */
const SIGNATURE_HEADERS = ['x-platform-signature', 'x-vercel-signature'] as const

export const isSignatureHeader = (name: string): boolean =>
  (SIGNATURE_HEADERS as readonly string[]).includes(name)

/** Shows the receiver that what it got is from us and whole: HMAC-SHA1 of the body as it is sent, in hex. */
const signatureOf = (body: string | Buffer, secret: string): string =>
  createHmac('sha1', secret).update(body).digest('hex')

/** The headers that carry it. */
export function signatureHeaders(body: string | Buffer, secret: string): Readonly<Record<string, string>> {
  const signature = signatureOf(body, secret)
  return Object.fromEntries(SIGNATURE_HEADERS.map((name) => [name, signature]))
}
