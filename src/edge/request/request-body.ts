import type { AnyRequest } from '#core/http-message.ts'

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

/**
 * The header that tells whoever is sent the request where its body ends; undefined without one. It is said anew and not left
 * to what the visitor says: a body that nothing announces would be the next request.
 */
export function framingOf(
  req: AnyRequest,
  body: ReturnType<typeof bodyOf>,
): readonly [name: string, value: string] | undefined {
  switch (body) {
    case 'none':
      return undefined
    case 'known-length':
      return ['content-length', req.headers['content-length'] as string]
    case 'unknown-length':
      return ['transfer-encoding', 'chunked']
  }
}
