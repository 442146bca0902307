import { createLocalIssuer } from '#adapters/cert-local/issuer.ts'
import { ORIGINS } from '#contract/origins.ts'
import { CERTIFICATES_TOPIC } from '#core/certificate/certificate.ts'
import type { Config } from '../config.ts'
import { ensureAuthority } from './authority.ts'
import { createCertificateParts } from './certificates.ts'
import type { CertificateFor } from './listener-tls.ts'
import type { Parts } from './parts.ts'
import { createCertificateChooser } from './tls-certificates.ts'

/** The certificates of the platform, and those of custom hosts, which change while we serve. */
export async function chooseCertificates(config: Config, parts: Parts): Promise<CertificateFor> {
  const authority = await ensureAuthority(parts)
  const { choose } = createCertificateParts(config, parts)
  const { certificateFor, forget } = createCertificateChooser({
    issuer: createLocalIssuer({ ...authority, clock: parts.clock }),
    domain: config.domain,
    apiHosts: [
      ...config.apiHosts.map((host) => host.replace(/^\[|\]$/g, '')),
      ...ORIGINS.map((origin) => `api-${origin}.${config.domain}`),
    ],
    clock: parts.clock,
    log: parts.log,
    max: 1000,
    custom: choose,
  })
  parts.bus.subscribe(CERTIFICATES_TOPIC, forget)
  return certificateFor
}
