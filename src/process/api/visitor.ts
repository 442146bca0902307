import type { IncomingMessage } from 'node:http'

/** The header in which a serving process tells the working process of its machine who asks. */
export const VISITOR = 'x-aloft-visitor'

export interface Visitor {
  readonly ip: string
  readonly secure: boolean
}

/** A request that was handed on looks as it did where it arrived. A connection has one after the other. */
export function restoreVisitor(req: IncomingMessage): void {
  const { ip, secure } = JSON.parse(String(req.headers[VISITOR])) as Visitor
  delete req.headers[VISITOR]
  Object.defineProperty(req.socket, 'remoteAddress', { value: ip, configurable: true })
  Object.defineProperty(req.socket, 'encrypted', { value: secure, configurable: true })
}
