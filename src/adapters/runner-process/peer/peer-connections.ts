import type { Socket } from 'node:net'
import { connect } from 'node:tls'
import { ASKED_AFTER_MS, type PeerIdentity } from './peer-gateway.ts'
import { certificateName } from './peer-name.ts'

export interface Peer {
  /** The name that its certificate has to be for. */
  readonly name: string
  /** An IP address. */
  readonly host: string
  readonly port: number
}

/** A connection to the working process of another machine, to one of its instances, or for something else that it offers. It can be written to at once. */
export function connectToPeer(
  { name, host, port }: Peer,
  { cert, key, authority }: PeerIdentity,
  to: 'runner' | { readonly instance: string } | { readonly offer: string },
): Socket {
  const socket = connect({
    ...{ host, port },
    ...{ cert, key, ca: [authority] },
    servername: certificateName(name),
    minVersion: 'TLSv1.3',
  })
  socket.setNoDelay(true)
  // Not to an instance: a machine that was started anew resets it, as if what it had read before had never been read.
  if (to === 'runner') socket.setKeepAlive(true, ASKED_AFTER_MS)
  socket.write(to === 'runner' ? 'runner\n' : 'offer' in to ? `${to.offer}\n` : `instance ${to.instance}\n`)
  return socket
}
