import { createServer, type SecureContext, type Server, type TLSSocket } from 'node:tls'
import type { Log } from '#core/ports/log.ts'
import type { ListenerLimits } from './listener-limits.ts'

/** A certificate ready to be served, with the PEMs that it was made of. */
export interface Credentials {
  readonly cert: string
  readonly key: string
  readonly context: SecureContext
}

/**
 * The credentials for a server name; without one, or for a name that is not ours, the default ones. Answers
 * at once where it can. The same object means the same certificate.
 */
export type CertificateFor = (servername: string | undefined) => Credentials | Promise<Credentials>

export interface TlsOptions {
  readonly certificateFor: CertificateFor
  readonly limits: ListenerLimits
  readonly log: Log
  /** 48 bytes, the same in all serving processes, so that each can resume what another began. */
  readonly ticketKeys: Buffer | undefined
  http1(socket: TLSSocket): void
  http2(socket: TLSSocket): void
}

export const TLS_CONTEXT = { minVersion: 'TLSv1.2', sessionIdContext: 'aloft' } as const

export async function createTls(options: TlsOptions): Promise<Server> {
  const { certificateFor, limits, log, ticketKeys } = options
  let current = await certificateFor(undefined)
  const shared = { ...TLS_CONTEXT, ...(ticketKeys && { ticketKeys }) }

  const server = createServer({
    ...shared,
    cert: current.cert,
    key: current.key,
    ALPNProtocols: ['h2', 'http/1.1', 'http/1.0'],
    handshakeTimeout: limits.handshakeMs,
    noDelay: true,
    SNICallback(servername, done) {
      const failed = (error: unknown) => {
        log.error({ err: error, servername }, 'no certificate for a server name, the default one is served')
        done(null)
      }
      try {
        const found = certificateFor(servername)
        if (found instanceof Promise) found.then(({ context }) => done(null, context), failed)
        else done(null, found.context)
      } catch (error) {
        failed(error)
      }
    },
  })

  const use = (credentials: Credentials) => {
    if (credentials === current) return
    current = credentials
    server.setSecureContext({ ...shared, cert: credentials.cert, key: credentials.key })
  }
  // A handshake without a server name takes what the server holds, so it is brought up to date before each.
  server.prependListener('connection', () => {
    const failed = (error: unknown) => log.error({ err: error }, 'the default certificate was not renewed')
    try {
      const found = certificateFor(undefined)
      if (found instanceof Promise) found.then(use, failed)
      else use(found)
    } catch (error) {
      failed(error)
    }
  })
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') options.http2(socket)
    else options.http1(socket)
  })
  server.on('tlsClientError', (error, socket) => {
    log.debug({ err: error, remote: socket.remoteAddress }, 'TLS handshake failed')
    // Node leaves a handshake that has timed out open.
    socket.destroy()
  })
  return server
}
