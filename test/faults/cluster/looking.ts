import { X509Certificate } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { connect } from 'node:tls'
import type { Place } from './load.ts'

const TIMEOUT_MS = 1_000
/** The server has answered, and there is nothing. */
const NOTHING = ['ENOTFOUND', 'ENODATA']

export const fingerprintOf = (cert: string): string => new X509Certificate(cert).fingerprint256

/** The texts that a machine's DNS has under a name; undefined where it does not answer. */
export async function shownTexts({ address, port }: Place, name: string): Promise<string[] | undefined> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 })
  resolver.setServers([`${address}:${port}`])
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
  } catch (error) {
    return NOTHING.includes((error as NodeJS.ErrnoException).code ?? '') ? [] : undefined
  }
}

/** The fingerprint of the certificate that a machine shows to somebody new; undefined where it does not answer. */
export const shownCertificate = ({ address, port }: Place, name: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ host: address, port, servername: name, rejectUnauthorized: false })
    const end = (shown?: string) => {
      resolve(shown)
      socket.destroy()
    }
    socket.setTimeout(TIMEOUT_MS, () => end())
    socket.once('error', () => end())
    socket.once('close', () => end())
    socket.once('secureConnect', () => end(socket.getPeerX509Certificate()?.fingerprint256))
  })
