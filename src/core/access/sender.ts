import type { AnyRequest } from '../http-message.ts'

/** Who has sent a request: a visitor of a site, or a caller of the API. */
interface Sender {
  readonly address: string
  /** Whether they spoke TLS. */
  readonly isSecure: boolean
  /** Where they have connected to. */
  readonly port: number | undefined
}

const noted = new WeakMap<AnyRequest, Sender>()

/** Somebody else than the peer of the connection has sent this request. */
export const noteSender = (req: AnyRequest, sender: Sender): void => void noted.set(req, sender)

/** The one place to ask where a request has come from. Its connection tells only who has passed it on. */
export function senderOf(req: AnyRequest): Sender {
  const sender = noted.get(req)
  if (sender !== undefined) return sender
  const { socket } = req
  return {
    address: socket?.remoteAddress ?? '',
    isSecure: socket !== undefined && 'encrypted' in socket && socket.encrypted === true,
    port: socket?.localPort,
  }
}
