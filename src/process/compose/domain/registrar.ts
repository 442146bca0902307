import { createNamecomRegistrar } from '#adapters/registrar-namecom/namecom-registrar.ts'
import type { Registry } from '#adapters/registrar-sandbox/registry.ts'
import { createSandboxRegistrar } from '#adapters/registrar-sandbox/sandbox-registrar.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Registrar } from '#core/ports/registrar.ts'
import type { Config } from '../../../config/config.ts'
import { announceZones } from '../announce.ts'
import type { Parts } from '../parts.ts'

/** Who sells names here. */
export const openRegistrar = (config: Config, registry: Registry, clock: Clock): Registrar =>
  config.registrar === 'name.com'
    ? createNamecomRegistrar({
        url: config.registrarUrl,
        user: config.registrarUser ?? '',
        token: config.registrarKey?.reveal() ?? '',
        nameservers: config.nameservers,
        clock,
      })
    : createSandboxRegistrar({
        registry,
        clock,
        prices: config.domainPrices,
        transferMinutes: config.transferMinutes,
      })

/** How names are bought and moved, wherever that is done. */
export const registrationParts = (
  { nameservers, domain }: Pick<Config, 'nameservers' | 'domain'>,
  { registrar, stores, quotas, transact, clock, bus }: Parts,
) => ({
  registrar,
  orders: stores.orders,
  domains: stores.domains,
  quotas,
  transact,
  clock,
  nameservers,
  domain,
  onZonesChanged: announceZones(bus),
})
