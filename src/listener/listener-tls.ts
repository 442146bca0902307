import { randomBytes } from 'node:crypto'
import { createServer, DEFAULT_CIPHERS, type SecureContext, type Server, type TLSSocket } from 'node:tls'
import type { Log } from '#core/ports/log.ts'
import { KEEP_ALIVE, type ListenerLimits } from './listener-limits.ts'
import type { TicketKeys } from './ticket-key.ts'

/** A certificate ready to be served, with the PEMs that it was made of. */
export interface Credentials {
  readonly cert: string
  readonly key: string
  readonly context: SecureContext
}

/**
 * The credentials for a server name; without one, or for a name that is not ours, the default ones. Answers
 * at once where it can. The same object means the same certificate. `source` is the address that asks.
 */
export type CertificateFor = (
  servername: string | undefined,
  source?: string,
) => Credentials | Promise<Credentials>

/** What an authority is shown that looks whether a server name is ours; rejects when it is looking in vain. */
export type ChallengeFor = (servername: string) => Promise<SecureContext>

/** What the authority says of a certificate, both in DER; undefined when that is not known at this moment. */
export type StapleFor = (certificate: Buffer, issuer: Buffer | null) => Buffer | undefined

interface TlsOptions {
  readonly certificateFor: CertificateFor
  readonly challengeFor: ChallengeFor | undefined
  readonly stapleFor: StapleFor | undefined
  readonly limits: ListenerLimits
  readonly log: Log
  /** The same in all serving processes, so that each can resume what another began. */
  readonly ticketKeys: TicketKeys | undefined
  http1(socket: TLSSocket): void
  http2(socket: TLSSocket): void
}

/** The best first. */
const PROTOCOLS = ['h2', 'http/1.1', 'http/1.0'] as const
/** What authorities speak, and nobody else: after the handshake, all is said. */
const CHALLENGE = 'acme-tls/1'

/** Nobody breaks either length of key, and encrypting with the shorter one takes a fifth less. */
const PREFERRED = 'TLS_AES_128_GCM_SHA256'
const CIPHERS = [PREFERRED, ...DEFAULT_CIPHERS.split(':').filter((cipher) => cipher !== PREFERRED)]

export const TLS_CONTEXT = {
  minVersion: 'TLSv1.2',
  sessionIdContext: 'aloft',
  ciphers: CIPHERS.join(':'),
} as const

export async function createTls(options: TlsOptions): Promise<Server> {
  const { certificateFor, challengeFor, stapleFor, limits, log, ticketKeys } = options
  /** Handshakes of authorities, and those for which a certificate has been chosen. */
  const challenged = new WeakSet<TLSSocket>()
  const chosen = new WeakSet<TLSSocket>()
  let current = await certificateFor(undefined)

  const server = createServer({
    ...TLS_CONTEXT,
    cert: current.cert,
    key: current.key,
    ALPNCallback(this: TLSSocket, { servername, protocols }) {
      // Before TLS 1.3 the certificate has been chosen by now, and there the challenge cannot be shown.
      if (isChallenge(protocols) && challengeFor && servername && !chosen.has(this)) {
        challenged.add(this)
        return CHALLENGE
      }
      return PROTOCOLS.find((protocol) => protocols.includes(protocol))
    },
    handshakeTimeout: limits.handshakeMs,
    noDelay: true,
    ...KEEP_ALIVE,
    SNICallback(this: TLSSocket, servername, done) {
      if (challengeFor && challenged.has(this)) {
        challengeFor(servername).then((context) => done(null, context), done)
        return
      }
      chosen.add(this)
      const failed = (error: unknown) => {
        log.error({ err: error, servername }, 'no certificate for a server name; serving the default one')
        done(null)
      }
      try {
        const found = certificateFor(servername, this.remoteAddress)
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
    server.setSecureContext({ ...TLS_CONTEXT, cert: credentials.cert, key: credentials.key })
    if (ticketKeys) sealTickets(server, ticketKeys)
  }
  if (ticketKeys) sealTickets(server, ticketKeys)
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
  if (stapleFor)
    server.on('OCSPRequest', (certificate: Buffer, issuer: Buffer | null, done) => {
      try {
        done(null, stapleFor(certificate, issuer) ?? null)
      } catch (error) {
        log.error({ err: error }, 'a certificate is served without an OCSP staple')
        done(null, null)
      }
    })
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === CHALLENGE) socket.on('error', () => socket.destroy()).destroySoon()
    else if (socket.alpnProtocol === 'h2') options.http2(socket)
    else options.http1(socket)
  })
  server.on('tlsClientError', (error, socket) => {
    log.debug({ err: error, remote: socket.remoteAddress }, 'TLS handshake failed')
    // Node leaves a handshake that has timed out open.
    socket.destroy()
  })
  return server
}

/** Part of Node.js, though not of its documentation: the only way to have more than one key. */
interface TicketContext {
  enableTicketKeyCallback(): void
  onticketkeycallback: (name: Buffer, iv: Buffer, isNew: boolean) => readonly (number | Buffer)[]
}

const UNKNOWN = 0
const KNOWN = 1
const KNOWN_BUT_OLD = 2
const IV_BYTES = 16

/** New tickets get the newest key. One of an older key is taken, and the visitor is given another. */
function sealTickets(server: Server, ticketKeys: TicketKeys): void {
  const { context } = (server as unknown as { _sharedCreds: { context: TicketContext } })._sharedCreds
  context.enableTicketKeyCallback()
  context.onticketkeycallback = (name, _iv, isNew) => {
    const keys = ticketKeys()
    const [newest] = keys
    if (isNew) return [KNOWN, newest.hmac, newest.aes, newest.name, randomBytes(IV_BYTES)]
    const key = keys.find((each) => each.name.equals(name))
    if (key === undefined) return [UNKNOWN, newest.hmac, newest.aes]
    return [key === newest ? KNOWN : KNOWN_BUT_OLD, key.hmac, key.aes]
  }
}

/** Authorities offer this alone; in the company of others it is not meant. */
const isChallenge = (protocols: readonly string[]): boolean =>
  protocols.length === 1 && protocols[0] === CHALLENGE
