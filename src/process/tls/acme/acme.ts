import { createAcmeIssuer } from '#adapters/cert-acme/acme-issuer.ts'
import { ZONES_TOPIC, type ZoneSource } from '#core/dns/zone.ts'
import type { CertificateIssuer } from '#core/ports/certificate-issuer.ts'
import type { Config } from '../../../config/config.ts'
import type { Parts } from '../../compose/parts.ts'
import { ensureSealed } from '../authority.ts'
import { createShowsChallenge } from './acme-shows.ts'

const ACCOUNT_KEY = 'acme-account-key'

type AcmeConfig = Pick<Config, 'acmeEmail' | 'host' | 'dnsPort' | 'workers'>

/** The public authority that the operator chose. All processes share one account. */
export function openAcmeIssuer(
  directory: string,
  config: AcmeConfig,
  parts: Pick<Parts, 'stores' | 'vault' | 'clock' | 'log' | 'bus'>,
  /** All that we answer for: the zones of users and the platform's own. */
  zones: ZoneSource,
): CertificateIssuer {
  const { stores, vault, clock, log, bus } = parts
  return createAcmeIssuer({
    directory,
    email: config.acmeEmail,
    accountKey: (make) => ensureSealed(parts, ACCOUNT_KEY, make),
    challenges: stores.challenges,
    vault,
    clock,
    log,
    // The others are looked up whenever somebody asks for them.
    announce: ({ kind, host }) => kind === 'dns-01' && bus.publish(ZONES_TOPIC, host),
    shows: createShowsChallenge(config),
    servesZone: async (name) => config.dnsPort > 0 && (await zones.find(name)) !== undefined,
  })
}
