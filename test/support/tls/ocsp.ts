import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Who signs: the authority, whom it has let do so, somebody whom it has not, or another authority. */
type SignedBy = 'authority' | 'deputy' | 'stranger' | 'other'

export interface Ocsp {
  /** A file with the certificate of the authority. */
  readonly caFile: string
  readonly issuer: Buffer
  /** A certificate of the authority, and what is in the way of it. */
  readonly leaf: { readonly cert: string; readonly key: string; readonly der: Buffer }
  /** The requests that came, in DER. */
  readonly asked: Buffer[]
  /** How the responder answers from now on. */
  readonly answers: {
    by: SignedBy
    revoked: boolean
    minutes: number | undefined
    status: number
    change: (response: Buffer) => Buffer
  }
  close(): Promise<void>
}

const EXTENSIONS = (url: string) => `
[ca]
basicConstraints = critical,CA:TRUE
keyUsage = keyCertSign,cRLSign,digitalSignature
[leaf]
subjectAltName = DNS:stapled.localhost
authorityInfoAccess = OCSP;URI:${url}
[deputy]
extendedKeyUsage = OCSPSigning
[stranger]
extendedKeyUsage = serverAuth
[req]
distinguished_name = dn
[dn]
`

/** An authority of openssl, with its responder. */
export async function startOcsp(): Promise<Ocsp> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-ocsp-'))
  const at = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder, timeout: 20_000 })
  const asked: Buffer[] = []
  const answers: Ocsp['answers'] = {
    by: 'authority',
    revoked: false,
    minutes: 60,
    status: 200,
    change: (response) => response,
  }
  const server = createServer(async (req, res) => {
    const request = await buffer(req)
    asked.push(request)
    await writeFile(at('request.der'), request)
    const signer = answers.by === 'authority' ? 'ca' : answers.by
    const index = answers.revoked ? 'revoked.txt' : 'valid.txt'
    const until = answers.minutes === undefined ? [] : ['-nmin', String(answers.minutes)]
    await openssl(
      ...['ocsp', '-index', index, '-CA', 'ca.pem', '-rsigner', `${signer}.pem`, '-rkey', `${signer}.key`],
      ...['-reqin', 'request.der', '-respout', 'response.der', ...until],
    )
    res.writeHead(answers.status).end(answers.change(await readFile(at('response.der'))))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await writeFile(at('config'), EXTENSIONS(`http://127.0.0.1:${(server.address() as AddressInfo).port}/ocsp`))
  const make = (name: string, section: string, issuer?: string) =>
    openssl(
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'],
      ...['-config', 'config', '-extensions', section, '-subj', `/CN=${name}`],
      ...['-keyout', `${name}.key`, '-out', `${name}.pem`],
      ...(issuer ? ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`] : []),
    )
  await make('ca', 'ca')
  await make('other', 'ca')
  for (const name of ['leaf', 'deputy', 'stranger']) await make(name, name, 'ca')
  const [cert, key, ca] = await Promise.all(
    ['leaf.pem', 'leaf.key', 'ca.pem'].map((name) => readFile(at(name), 'utf8')),
  )
  if (!cert || !key || !ca) throw new Error('openssl made nothing')
  const { serialNumber, raw } = new X509Certificate(cert)
  await writeFile(at('valid.txt'), `V\t351231235959Z\t\t${serialNumber}\tunknown\t/CN=leaf\n`)
  await writeFile(at('revoked.txt'), `R\t351231235959Z\t200101000000Z\t${serialNumber}\tunknown\t/CN=leaf\n`)
  return {
    caFile: at('ca.pem'),
    issuer: new X509Certificate(ca).raw,
    leaf: { cert: `${cert}${ca}`, key, der: raw },
    asked,
    answers,
    async close() {
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
