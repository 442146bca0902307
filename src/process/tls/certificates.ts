import { createLocalCertificateIssuer } from '#adapters/cert-local/certificate-issuer.ts'
import { createLocalIssuer } from '#adapters/cert-local/issuer.ts'
import { withoutBrackets } from '#contract/address-in-url.ts'
import { ORIGINS } from '#contract/origins.ts'
import { CERTIFICATES_TOPIC } from '#core/certificate/certificate.ts'
import { type Certificates, createCertificates } from '#core/certificate/certificates.ts'
import { createNameCheck } from '#core/certificate/check-names.ts'
import { type ChooseCertificate, createChooseCertificate } from '#core/certificate/choose-certificate.ts'
import {
  type AutomaticCertificates,
  createAutomaticCertificates,
} from '#core/certificate/issue/automatic-certificates.ts'
import { createRenewRound, createSweepRound } from '#core/certificate/issue/certificate-rounds.ts'
import { createIssueJob } from '#core/certificate/issue/issue-job.ts'
import { createMayCertify } from '#core/certificate/issue/may-certify.ts'
import { createOrderAllowance } from '#core/certificate/issue/order-allowance.ts'
import { createOrderCertificate } from '#core/certificate/issue/order-certificate.ts'
import {
  createPlatformCertificates,
  type PlatformCertificates,
} from '#core/certificate/issue/platform-certificates.ts'
import { createKeepCertificate } from '#core/certificate/make-certificate.ts'
import type { JobHandler } from '#core/job/job-handler.ts'
import type { CertificateIssuer } from '#core/ports/certificate-issuer.ts'
import type { Config } from '../../config/config.ts'
import { answeredZones } from '../compose/domain/dns.ts'
import { domainPointing } from '../compose/domain/domains.ts'
import type { Parts } from '../compose/parts.ts'
import { openAcmeIssuer } from './acme/acme.ts'
import { ensureAuthority } from './authority.ts'

/** Everything about certificates, as one process needs it. */
export interface CertificateParts {
  readonly certificates: Certificates
  readonly automatic: AutomaticCertificates
  /** For hosts outside the platform's domain. */
  readonly choose: ChooseCertificate
  /** Where a public authority makes those of the platform too. */
  readonly platform: PlatformCertificates | undefined
  readonly recurring: readonly JobHandler[]
  readonly issueJob: JobHandler
}

/** Whether a public authority would make out certificates to the platform's own names. */
const isPublic = ({ acmeDirectory, domain }: Config): boolean =>
  acmeDirectory !== undefined && domain.includes('.') && !domain.endsWith('.localhost')

/** The names and addresses of the API, as certificates are made out to them. */
export const apiNames = ({ apiHosts, domain }: Config): readonly string[] => [
  ...apiHosts.map((host) => withoutBrackets(host)),
  ...ORIGINS.map((origin) => `api-${origin}.${domain}`),
]

type IssuerParts = Pick<Parts, 'stores' | 'vault' | 'clock' | 'log' | 'bus' | 'zones' | 'machines'>

/** Who makes certificates: the public authority that the operator chose, or the local one. */
export const openIssuer = (config: Config, parts: IssuerParts): CertificateIssuer =>
  config.acmeDirectory === undefined
    ? createLocalCertificateIssuer(async () =>
        createLocalIssuer({ ...(await ensureAuthority(parts)), clock: parts.clock }),
      )
    : openAcmeIssuer(config.acmeDirectory, config, parts, answeredZones(config, parts))

export function createCertificateParts(config: Config, parts: Parts): CertificateParts {
  const { domain, nameservers } = config
  const { stores, transact, vault, clock, bus, log, issuer, resolver } = parts
  const onChanged = (names: readonly string[]) => {
    for (const name of names) bus.publish(CERTIFICATES_TOPIC, name)
  }
  const { jobs, hosts, settings, challenges } = stores
  const store = stores.certificates
  const attempts = stores.certificateAttempts
  const check = createNameCheck({ domains: stores.domains, domain, nameservers })
  const keep = createKeepCertificate({ transact, check, vault, clock, onChanged })
  const order = createOrderCertificate({ issuer, keep, store, attempts, jobs, bus })
  const pointing = domainPointing(config, parts.machines)
  const mayCertify = createMayCertify({ issuer, domains: stores.domains, resolver, pointing })
  const orders = createOrderAllowance(parts.limiter, clock)
  const common = { issuer, keep, store, attempts, hosts, mayCertify, jobs, clock, log, domain }
  const automatic = createAutomaticCertificates({ ...common, limiter: parts.limiter, orders })
  const platform = isPublic(config)
    ? createPlatformCertificates({ ...common, apiHosts: apiNames(config) })
    : undefined
  return {
    platform,
    certificates: createCertificates({
      store,
      transact,
      quotas: parts.quotas,
      keep,
      clock,
      check,
      order,
      onChanged,
    }),
    automatic,
    choose: createChooseCertificate({ store, hosts, domains: stores.domains, vault, clock, automatic }),
    recurring: [
      createRenewRound({ store, jobs, clock }),
      createSweepRound({ automatic, store, attempts, challenges, settings, clock }),
    ],
    issueJob: createIssueJob({ ...common, check, orders, automatic, platform, bus, onChanged }),
  }
}
