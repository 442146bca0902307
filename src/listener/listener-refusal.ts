import { STATUS_CODES } from 'node:http'
import { type AnyResponse, isHttp2 } from '#core/http-message.ts'

/** An answer that the listener gives by itself, before any handler sees the request. */
export interface Refusal {
  readonly status: number
  readonly code: 'bad_request' | 'internal_server_error'
  readonly message: string
}

const TYPE = 'application/json; charset=utf-8'

export const badRequest = (reason: string, status = 400): Refusal => ({
  status,
  code: 'bad_request',
  message: `Invalid request: ${reason}`,
})

const bodyOf = ({ code, message }: Refusal) => JSON.stringify({ error: { code, message } })

/** A whole HTTP/1.1 message, for a connection on which no response object exists. */
export function refusalWire(refusal: Refusal): Buffer {
  const body = bodyOf(refusal)
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    `date: ${new Date().toUTCString()}`,
    `content-type: ${TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

export function refuse(res: AnyResponse, refusal: Refusal): void {
  const body = bodyOf(refusal)
  // What a failed handler had set was meant for another body.
  for (const name of res.getHeaderNames()) res.removeHeader(name)
  const headers = { 'content-type': TYPE, 'content-length': Buffer.byteLength(body) }
  if (isHttp2(res)) {
    if (res.stream.destroyed) return
    res.writeHead(refusal.status, headers).end(body)
  } else {
    res.writeHead(refusal.status, { ...headers, connection: 'close' }).end(body)
  }
}
