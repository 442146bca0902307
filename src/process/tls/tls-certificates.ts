import { MINUTE } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { CertificateFor, Credentials } from '#listener/listener-tls.ts'
import { createMintLimit } from './mint-limit.ts'
import { type CertificatePems, createCredentialCache } from './tls-cache.ts'
import { type CertificateNames, platformCertificate, readServerName } from './tls-names.ts'

export interface ChooserOptions {
  /** Makes the certificates of the platform that nobody else has made. */
  readonly issuer: { issue(names: readonly string[]): Promise<CertificatePems> }
  /** Under which the platform serves its sites. */
  readonly domain: string
  /** Names and addresses of the API: the subjects of the default certificate. */
  readonly apiHosts: readonly string[]
  readonly clock: Clock
  readonly log: Log
  /** How many certificates are kept in memory, besides the default one and the one of the domain. */
  readonly max: number
  /** Whether anything is at a name of the platform, or in the scope of a wildcard; absent, everything might be. */
  isServed?(certificate: CertificateNames): Promise<boolean>
  /** The certificate of a name outside the platform's domain, if it is one that we serve. */
  custom?(name: string): Promise<CertificatePems | undefined>
  /** The certificate that a public authority has made for a name of the platform, if there is one yet. */
  platform?(name: string): Promise<CertificatePems | undefined>
}

interface CertificateChooser {
  readonly certificateFor: CertificateFor
  /** To be called when the certificate of a name has come, changed or gone; wildcards stand for many. */
  forget(name: string): void
}

/** A change of a certificate that nobody told us is noticed after this long. */
const MAX_AGE_MS = 5 * MINUTE

export function createCertificateChooser(options: ChooserOptions): CertificateChooser {
  const { issuer, clock, log, max, platform } = options
  const domain = options.domain.toLowerCase()
  const apiHosts = new Set(options.apiHosts.map((host) => host.toLowerCase()))
  const aging = { clock, log, max, maxAgeMs: MAX_AGE_MS }
  // Two that every visitor needs; visits to other hosts never push them out.
  const own = createCredentialCache({ clock, log, max: 2 })
  const hosts = createCredentialCache({ clock, log, max })
  const customs = createCredentialCache(aging)
  const publics = createCredentialCache(aging)

  const ownNames = apiHosts.size > 0 ? [...apiHosts] : [domain]
  const standard = () =>
    own.get('default', () => issuer.issue(ownNames)) as Credentials | Promise<Credentials>

  type Found = Credentials | undefined | Promise<Credentials | undefined>

  /** The first of these that has one, at once where that is known. */
  const either = (first: Found, second: () => Found): Found =>
    first instanceof Promise ? first.then((found) => found ?? second()) : (first ?? second())

  /** Those for API hosts are each host's own, and those for sites the one that they share. */
  const fromPublic = (name: string, key: string): Found =>
    platform && publics.get(key, async () => platform(name))

  const limit = createMintLimit(clock)

  /** A key is not made for every name that somebody thinks of, nor looked for whether there is something at it. */
  async function mint(certificate: CertificateNames, source: string): Promise<CertificatePems | undefined> {
    if (!limit.mayAsk(source)) return undefined
    const isServed = (await options.isServed?.(certificate)) ?? true
    return isServed && limit.mayMint() ? issuer.issue(certificate.names) : undefined
  }

  function find(name: string, source: string): Found {
    if (apiHosts.has(name)) return either(fromPublic(name, name), standard)
    const certificate = platformCertificate(name, domain)
    if (certificate) {
      const { key, names } = certificate
      return either(fromPublic(name, key), () =>
        key === `*.${domain}`
          ? own.get(key, () => issuer.issue(names))
          : hosts.get(key, () => mint(certificate, source)),
      )
    }
    return options.custom && customs.get(name, async () => options.custom?.(name))
  }

  return {
    certificateFor(servername, source = '') {
      const name = servername === undefined ? undefined : readServerName(servername)
      if (name === undefined) return standard()
      return either(find(name, source), standard) as Credentials | Promise<Credentials>
    },
    forget(given) {
      const name = given.toLowerCase()
      const end = name.replace(/^\*/, '')
      // What an account does with its certificates must not have those of all others read again.
      if (end === '' || apiHosts.has(name) || `.${end}`.endsWith(`.${domain}`)) publics.forgetAll('')
      if (end !== name) customs.forgetAll(end)
      else customs.forget(name)
    },
  }
}
