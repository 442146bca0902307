import type { CheckParts } from '#core/domain/check-domain.ts'
import type { Config } from '../../../config/config.ts'
import { announceZones } from '../announce.ts'
import type { MachineWatch } from '../machine/machine-watch.ts'
import type { Parts } from '../parts.ts'

/** How domains are looked up, wherever that is done. */
export const domainCheckParts = (
  { nameservers }: Pick<Config, 'nameservers'>,
  { stores, transact, resolver, clock, bus }: Parts,
): CheckParts => ({
  store: stores.domains,
  orders: stores.orders,
  transact,
  resolver,
  clock,
  nameservers,
  onZonesChanged: announceZones(bus),
})

const LETS_ENCRYPT = 'letsencrypt.org'

/** What CAA records call an authority, by the address of its directory; null when nobody knows. */
const authorityOf = (directory: string | undefined): string | null | undefined => {
  if (directory === undefined) return undefined
  return /(^|\.)letsencrypt\.org$/.test(new URL(directory).hostname) ? LETS_ENCRYPT : null
}

/** Whom the domains that we answer for allow to certify them. Without an authority it is the one that most choose later. */
export const allowedAuthority = ({ acmeDirectory }: Pick<Config, 'acmeDirectory'>): string | null => {
  const authority = authorityOf(acmeDirectory)
  return authority === undefined ? LETS_ENCRYPT : authority
}

type PointingConfig = Pick<Config, 'domain' | 'publicAddresses' | 'acmeDirectory' | 'nameservers'>

/** What records of domains should lead to: any of the machines that serve, which come and go. */
export const domainPointing = (
  { domain, publicAddresses, acmeDirectory, nameservers }: PointingConfig,
  machines: Pick<MachineWatch, 'alive'>,
) => ({
  target: `alias.${domain}`,
  get addresses(): readonly string[] {
    const serving = machines.alive().flatMap((machine) => machine.publicAddresses)
    return serving.length > 0 ? [...new Set(serving)].toSorted() : publicAddresses
  },
  authority: authorityOf(acmeDirectory),
  nameservers,
})
