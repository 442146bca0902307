import type { IncomingMessage } from 'node:http'
import { noteSender } from '#core/access/sender.ts'

/** The header in which a serving process tells the working process of its machine who asks. */
export const VISITOR = 'x-aloft-visitor'

export interface Visitor {
  readonly ip: string
  readonly secure: boolean
}

/** A request that was handed on is of whom it was where it arrived. */
export function restoreVisitor(req: IncomingMessage): void {
  const { ip, secure } = JSON.parse(String(req.headers[VISITOR])) as Visitor
  delete req.headers[VISITOR]
  noteSender(req, { address: ip, isSecure: secure, port: undefined })
}
