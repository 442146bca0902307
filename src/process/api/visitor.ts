import type { IncomingMessage } from 'node:http'

/** The header in which a serving process tells the working process of its machine who asks. */
export const VISITOR = 'x-aloft-visitor'

export interface Visitor {
  readonly ip: string
  readonly secure: boolean
}

/** A request that was handed on looks as it did where it arrived: each has a connection of its own. */
export function restoreVisitor(req: IncomingMessage): void {
  const { ip, secure } = JSON.parse(String(req.headers[VISITOR])) as Visitor
  delete req.headers[VISITOR]
  Object.defineProperty(req.socket, 'remoteAddress', { value: ip })
  Object.defineProperty(req.socket, 'encrypted', { value: secure })
}
