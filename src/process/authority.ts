import { randomBytes } from 'node:crypto'
import { type Authority, createAuthority } from '#adapters/cert-local/authority.ts'
import type { Parts } from './parts.ts'

const AUTHORITY = 'local-authority'
const TICKET_KEYS = 'tls-ticket-keys'

type Sealing = Pick<Parts, 'stores' | 'vault'>

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

/** Shared by all serving processes, so that a session resumes on whichever takes the next connection. */
export const ensureTicketKeys = async (parts: Sealing): Promise<Buffer> =>
  Buffer.from(
    await ensureSealed(parts, TICKET_KEYS, async () => randomBytes(48).toString('base64')),
    'base64',
  )
