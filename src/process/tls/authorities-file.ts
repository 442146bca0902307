import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { joinCertificates } from '#core/outbound/join-certificates.ts'
import type { Parts } from '../compose/parts.ts'
import { ensureAuthority } from './authority.ts'

/** Where Debian, Fedora, Alpine and macOS keep what they trust. */
const SYSTEM = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/cert.pem',
  '/etc/ssl/ca-bundle.pem',
]

const readText = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

async function systemAuthorities(): Promise<string> {
  for (const file of SYSTEM) {
    const text = await readText(file)
    if (text !== '') return text
  }
  return rootCertificates.join('\n')
}

/**
 * All authorities that programs and builds trust, in one file: those of this machine, those that the operator named,
 * and the installation's own, which signs for its sites until a public one does. The file holds no secrets.
 */
export async function writeAuthorities(
  dataDir: string,
  parts: Pick<Parts, 'stores' | 'vault' | 'clock'>,
): Promise<string> {
  const { certPem } = await ensureAuthority(parts)
  const { NODE_EXTRA_CA_CERTS: named } = process.env
  const all = [await systemAuthorities(), named ? await readText(named) : '', certPem]
  const file = join(dataDir, 'authorities.pem')
  const draft = `${file}.${process.pid}`
  await writeFile(draft, joinCertificates(all), { mode: 0o644 })
  await rename(draft, file)
  return file
}
