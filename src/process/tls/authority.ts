import { randomBytes } from 'node:crypto'
import { type Authority, createAuthority } from '#adapters/cert-local/authority.ts'
import type { Parts } from '../compose/parts.ts'

const AUTHORITY = 'local-authority'
/** Its certificate, in the data folder, for trust stores. */
export const AUTHORITY_FILE = 'ca.pem'
const DNS_SECRET = 'dns-cookie-secret'

export type Sealing = Pick<Parts, 'stores' | 'vault'>

/**
 * One value of the installation, sealed in the database; processes that race for it agree on one. One that is of no use to anybody is
 * replaced: whoever finds it takes away that very value, and not one that another process has made meanwhile.
 */
export async function ensureSealed(
  { stores: { settings }, vault }: Sealing,
  key: string,
  make: () => Promise<string>,
  isOfUse: (value: string) => boolean = () => true,
): Promise<string> {
  const ensure = async () => settings.ensure(key, vault.seal(await make(), key))
  let sealed = (await settings.get(key)) ?? (await ensure())
  for (;;) {
    const value = vault.open(sealed, key)
    if (isOfUse(value)) return value
    await settings.take(key, sealed)
    sealed = await ensure()
  }
}

/** The authority that signs what TLS needs until a public one does. */
export const ensureAuthority = async (parts: Sealing & Pick<Parts, 'clock'>): Promise<Authority> =>
  JSON.parse(
    await ensureSealed(parts, AUTHORITY, async () => JSON.stringify(await createAuthority(parts.clock))),
  )

/** What serving processes know DNS clients by: one that was told a cookie by one of them is known to all. */
export const ensureDnsSecret = async (parts: Sealing): Promise<Buffer> =>
  Buffer.from(await ensureSealed(parts, DNS_SECRET, async () => randomBytes(32).toString('base64')), 'base64')
