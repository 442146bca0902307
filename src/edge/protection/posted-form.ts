import type { AnyRequest } from '#core/http-message.ts'
import { bodyOf } from '../request/request-body.ts'

const MAX_BYTES = 4096
const MAX_MS = 10_000

/** The fields of a small HTML form; undefined for anything else, and for what does not come. */
export function readPostedForm(req: AnyRequest): Promise<URLSearchParams | undefined> {
  const { 'content-type': type, 'content-length': length } = req.headers
  const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type ?? '')
  if (!isForm || Number(length ?? 0) > MAX_BYTES) return Promise.resolve(undefined)
  if (bodyOf(req) === 'none') return Promise.resolve(new URLSearchParams())
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (form?: URLSearchParams): void => {
      clearTimeout(timer)
      req.off('data', onData)
      req.off('end', onEnd)
      resolve(form)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size > MAX_BYTES) finish()
      else chunks.push(chunk)
    }
    const onEnd = (): void => finish(new URLSearchParams(Buffer.concat(chunks).toString()))
    const timer = setTimeout(finish, MAX_MS)
    req.on('data', onData)
    req.on('end', onEnd)
    req.once('close', () => finish())
    req.once('error', () => finish())
  })
}
