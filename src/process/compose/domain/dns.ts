import type { ZoneSource } from '#core/dns/zone.ts'
import { createPlatformZone, type PublicAddress } from '#dns/platform-zone.ts'
import { type DnsServer, startDnsServer } from '#dns/server.ts'
import type { Config } from '../../../config/config.ts'
import { ensureDnsSecret } from '../../tls/authority.ts'
import type { MachineWatch } from '../machine/machine-watch.ts'
import type { Parts } from '../parts.ts'

type ZoneConfig = Pick<Config, 'domain' | 'nameservers' | 'publicAddresses'>
type ZoneParts = Pick<Parts, 'stores' | 'clock' | 'zones' | 'machines'>

/** All that we answer for: the platform's own zone, and those of users. */
export const answeredZones = (
  { domain, nameservers, publicAddresses }: ZoneConfig,
  { stores, clock, zones, machines }: ZoneParts,
): ZoneSource =>
  createPlatformZone({
    domain,
    nameservers,
    addresses: () => servedAt(machines, publicAddresses),
    challenges: stores.challenges,
    clock,
    users: zones,
  })

/**
 * Where visitors are led: to the machines that serve and are not to be left alone; to those that are where there are no others. A
 * machine that is alone, or has not been heard of yet, knows of itself.
 */
export function servedAt(
  { alive }: Pick<MachineWatch, 'alive'>,
  own: readonly string[],
): readonly PublicAddress[] {
  const serving = alive().filter(({ publicAddresses }) => publicAddresses.length > 0)
  const willing = serving.filter(({ isDraining }) => !isDraining)
  const machines = willing.length > 0 ? willing : serving
  if (machines.length === 0) return own.map((address) => ({ address }))
  const found = machines.flatMap(({ publicAddresses, origin }) =>
    publicAddresses.map((address) => ({ address, origin })),
  )
  return [...new Map(found.map((one) => [one.address, one])).values()].toSorted((a, b) =>
    a.address < b.address ? -1 : 1,
  )
}

/** Answers DNS in this process; undefined where that is switched off. */
export async function startDns(
  config: ZoneConfig & Pick<Config, 'host' | 'dnsPort' | 'dnsNetworks'>,
  parts: Parts,
  { reusePort, sockets }: { readonly reusePort: boolean; readonly sockets?: readonly number[] | undefined },
): Promise<DnsServer | undefined> {
  if (config.dnsPort === 0) return undefined
  const { resolver, bus, clock, log, machines } = parts
  const server = await startDnsServer({
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
    networks: config.dnsNetworks,
  })
  const now = () => JSON.stringify(servedAt(machines, config.publicAddresses))
  let last = now()
  const stop = machines.onLook(() => {
    if (now() === last) return
    last = now()
    server.invalidate(config.domain)
  })
  return {
    ...server,
    drain(ms) {
      stop()
      return server.drain(ms)
    },
  }
}
