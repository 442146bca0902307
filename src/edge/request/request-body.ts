import type { AnyRequest } from './message.ts'

/** Whether a request has a body, and whether it says how long it is. */
export function bodyOf(req: AnyRequest): 'none' | 'known-length' | 'unknown-length' {
  const length = req.headers['content-length']
  if ('stream' in req) {
    if (req.stream.endAfterHeaders) return 'none'
    return length === undefined ? 'unknown-length' : 'known-length'
  }
  if (req.headers['transfer-encoding'] !== undefined) return 'unknown-length'
  return length === undefined || length === '0' ? 'none' : 'known-length'
}
