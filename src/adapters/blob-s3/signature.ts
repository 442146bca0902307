import { createHmac, hash } from 'node:crypto'

/** Who signs. A session token comes with credentials that end. */
export interface Credentials {
  readonly keyId: string
  readonly secret: string
  readonly sessionToken?: string | undefined
}

interface Signable {
  readonly method: string
  readonly host: string
  /** Not encoded. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** SHA-256 of the body in hex; it is signed, so that the store notices a body that was changed on the way. */
  readonly bodySha256: string
}

export const EMPTY_SHA256 = hash('sha256', '')

/** As RFC 3986 has it, which is stricter than `encodeURIComponent`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )

export const encodePath = (path: string): string => path.split('/').map(encode).join('/')

/** Names in order, which the signature needs and the request does not mind. */
export const encodeQuery = (query: Readonly<Record<string, string>>): string =>
  Object.keys(query)
    .sort()
    .map((name) => `${encode(name)}=${encode(query[name] ?? '')}`)
    .join('&')

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** The headers of a request, with those that sign it: AWS Signature Version 4, which every store of this kind takes. */
export function sign(
  { method, host, path, query, headers, bodySha256 }: Signable,
  { keyId, secret, sessionToken }: Credentials,
  region: string,
  now: number,
): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const all: Record<string, string> = {
    ...headers,
    host,
    'x-amz-content-sha256': bodySha256,
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  }
  const names = Object.keys(all).sort()
  const signed = names.join(';')
  const canonical = [
    method,
    encodePath(path),
    encodeQuery(query),
    ...names.map((name) => `${name}:${all[name]?.trim()}`),
    '',
    signed,
    bodySha256,
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical)].join('\n')
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), 's3'), 'aws4_request')
  const signature = hmac(key, text).toString('hex')
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 Credential=${keyId}/${scope},SignedHeaders=${signed},Signature=${signature}`,
  }
}
