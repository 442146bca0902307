import { createHmac } from 'node:crypto'

export const SIGNATURE_HEADER = 'x-platform-signature'

/** Shows the receiver that what it got is from us and whole: HMAC-SHA1 of the body as it is sent, in hex. */
export const signatureOf = (body: string | Buffer, secret: string): string =>
  createHmac('sha1', secret).update(body).digest('hex')
