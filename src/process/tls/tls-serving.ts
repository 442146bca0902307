import { createLocalIssuer } from '#adapters/cert-local/issuer.ts'
import { CERTIFICATES_TOPIC, keyPurpose } from '#core/certificate/certificate.ts'
import type { PlatformCertificates } from '#core/certificate/issue/platform-certificates.ts'
import type { CertificateFor } from '#listener/listener-tls.ts'
import type { Config } from '../../config/config.ts'
import type { Parts } from '../compose/parts.ts'
import { ensureAuthority } from './authority.ts'
import { apiNames, createCertificateParts } from './certificates.ts'
import { createCertificateChooser } from './tls-certificates.ts'
import type { CertificateNames } from './tls-names.ts'

/** The certificates of the platform, and those of custom hosts, which change while we serve. */
export async function chooseCertificates(config: Config, parts: Parts): Promise<CertificateFor> {
  const authority = await ensureAuthority(parts)
  const { choose, platform } = createCertificateParts(config, parts)
  const { certificateFor, forget } = createCertificateChooser({
    issuer: createLocalIssuer({ ...authority, clock: parts.clock }),
    domain: config.domain,
    apiHosts: apiNames(config),
    clock: parts.clock,
    log: parts.log,
    max: 1000,
    custom: choose,
    isServed: createIsServed(config.domain, parts),
    ...(platform && { platform: opened(platform, parts) }),
  })
  parts.bus.subscribe(CERTIFICATES_TOPIC, forget)
  parts.bus.onGap?.(() => forget('*'))
  // Asked for now, so that it is there when the first visitor comes.
  if (platform) await opened(platform, parts)(config.domain)
  return certificateFor
}

/** Whether a host is somebody's, or the scope that a wildcard is for an account's. */
const createIsServed =
  (domain: string, { stores: { hosts, teams, users } }: Parts) =>
  async ({ key }: CertificateNames): Promise<boolean> => {
    if (!key.startsWith('*.')) return (await hosts.holder(key)) !== undefined
    const scope = key.slice(2, -domain.length - 1)
    return ((await teams.bySlug(scope)) ?? (await users.byUsername(scope))) !== undefined
  }

/** Certificate and key for a host of the platform. Those that cannot be had are as good as not there. */
const opened =
  ({ find }: PlatformCertificates, { vault, log }: Parts) =>
  async (name: string) => {
    try {
      const found = await find(name)
      return found && { cert: found.cert, key: vault.open(found.sealedKey, keyPurpose(found.id)) }
    } catch (error) {
      log.error({ err: error, name }, 'a certificate of the platform could not be read')
      return undefined
    }
  }
