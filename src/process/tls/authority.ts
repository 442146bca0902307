import { randomBytes } from 'node:crypto'
import { type Authority, createAuthority } from '#adapters/cert-local/authority.ts'
import type { Parts } from '../compose/parts.ts'

const AUTHORITY = 'local-authority'
const DNS_SECRET = 'dns-cookie-secret'

export type Sealing = Pick<Parts, 'stores' | 'vault'>

/** One value of the installation, sealed in the database; processes that race for it agree on one. */
export async function ensureSealed(
  parts: Sealing,
  key: string,
  make: () => Promise<string>,
): Promise<string> {
  const { settings } = parts.stores
  const sealed =
    (await settings.get(key)) ?? (await settings.ensure(key, parts.vault.seal(await make(), key)))
  return parts.vault.open(sealed, key)
}

/** The authority that signs what TLS needs until a public one does. */
export const ensureAuthority = async (parts: Sealing & Pick<Parts, 'clock'>): Promise<Authority> =>
  JSON.parse(
    await ensureSealed(parts, AUTHORITY, async () => JSON.stringify(await createAuthority(parts.clock))),
  )

/** What serving processes know DNS clients by: one that was told a cookie by one of them is known to all. */
export const ensureDnsSecret = async (parts: Sealing): Promise<Buffer> =>
  Buffer.from(await ensureSealed(parts, DNS_SECRET, async () => randomBytes(32).toString('base64')), 'base64')
