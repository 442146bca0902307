import { lookup } from 'node:dns'
import { createLookUp } from '#adapters/resolver-dns/look-up.ts'
import { type Allows, allowedAddresses } from '#core/outbound/allowed-addresses.ts'
import type { LookUpAll } from '#core/outbound/guarded-lookup.ts'
import type { Config } from '../../config/config.ts'

/** Where requests on behalf of users may go from this machine. `ports` are further ones that it serves the public at. */
export const openAllows = (
  { privateTargets, port, tlsPort }: Pick<Config, 'privateTargets' | 'port' | 'tlsPort'>,
  ports: readonly number[] = [],
): Allows => allowedAddresses(privateTargets, { servedPorts: [80, 443, port, tlsPort, ...ports] })

/** How names that users chose are looked up. Systems other than Linux keep what they know of names in places of their own. */
export function openLookUp(): LookUpAll {
  lookUp ??= process.platform === 'linux' ? createLookUp() : lookup
  return lookUp
}

/** One for the whole process, which knows what is in `/etc/hosts`. */
let lookUp: LookUpAll | undefined
