import type { ZoneSource } from '#core/dns/zone.ts'
import { createPlatformZone } from '#dns/platform-zone.ts'
import { type DnsServer, startDnsServer } from '#dns/server.ts'
import type { Config } from '../../config/config.ts'
import { ensureDnsSecret } from '../tls/authority.ts'
import type { Parts } from './parts.ts'

type ZoneConfig = Pick<Config, 'domain' | 'nameservers' | 'publicAddresses'>

/** All that we answer for: the platform's own zone, and those of users. */
export const answeredZones = (
  { domain, nameservers, publicAddresses }: ZoneConfig,
  { stores, clock, zones }: Pick<Parts, 'stores' | 'clock' | 'zones'>,
): ZoneSource =>
  createPlatformZone({
    domain,
    nameservers,
    addresses: publicAddresses,
    challenges: stores.challenges,
    clock,
    users: zones,
  })

/** Answers DNS in this process; undefined where that is switched off. */
export async function startDns(
  config: ZoneConfig & Pick<Config, 'host' | 'dnsPort'>,
  parts: Parts,
  { reusePort, sockets }: { readonly reusePort: boolean; readonly sockets?: readonly number[] | undefined },
): Promise<DnsServer | undefined> {
  if (config.dnsPort === 0) return undefined
  const { resolver, bus, clock, log } = parts
  return startDnsServer({
    host: config.host,
    port: config.dnsPort,
    reusePort,
    ...(sockets ? { sockets } : {}),
    zones: answeredZones(config, parts),
    resolver,
    bus,
    clock,
    log,
    cookieSecret: await ensureDnsSecret(parts),
  })
}
