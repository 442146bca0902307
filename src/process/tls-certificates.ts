import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { CertificateFor, Credentials } from './listener-tls.ts'
import { type CertificatePems, createCredentialCache } from './tls-cache.ts'
import { platformCertificate, readServerName } from './tls-names.ts'

export interface ChooserOptions {
  readonly issuer: { issue(names: readonly string[]): Promise<CertificatePems> }
  /** Under which the platform serves its sites. */
  readonly domain: string
  /** Names and addresses of the API: the subjects of the default certificate. */
  readonly apiHosts: readonly string[]
  readonly clock: Clock
  readonly log: Log
  /** How many certificates are kept in memory, besides the default one and the one of the domain. */
  readonly max: number
  /** The certificate of a name outside the platform's domain, if it is one that we serve. */
  custom?(name: string): Promise<CertificatePems | undefined>
}

export interface CertificateChooser {
  readonly certificateFor: CertificateFor
  /** To be called when the certificate of a custom name has come, changed or gone; wildcards stand for many. */
  forget(name: string): void
}

/** A change of a custom certificate that nobody told us is noticed after this long. */
const CUSTOM_MAX_AGE_MS = 5 * 60_000

export function createCertificateChooser(options: ChooserOptions): CertificateChooser {
  const { issuer, clock, log, max } = options
  const domain = options.domain.toLowerCase()
  const apiHosts = new Set(options.apiHosts.map((host) => host.toLowerCase()))
  // Two that every visitor needs; visits to other hosts never push them out.
  const own = createCredentialCache({ clock, log, max: 2 })
  const hosts = createCredentialCache({ clock, log, max })
  const customs = createCredentialCache({ clock, log, max, maxAgeMs: CUSTOM_MAX_AGE_MS })

  const ownNames = apiHosts.size > 0 ? [...apiHosts] : [domain]
  const standard = () =>
    own.get('default', () => issuer.issue(ownNames)) as Credentials | Promise<Credentials>

  function find(name: string): Credentials | undefined | Promise<Credentials | undefined> {
    const certificate = platformCertificate(name, domain)
    if (certificate) {
      const { key, names } = certificate
      return (key === `*.${domain}` ? own : hosts).get(key, () => issuer.issue(names))
    }
    return options.custom && customs.get(name, async () => options.custom?.(name))
  }

  return {
    certificateFor(servername) {
      const name = servername === undefined ? undefined : readServerName(servername)
      if (name === undefined || apiHosts.has(name)) return standard()
      const found = find(name)
      return found instanceof Promise
        ? found.then((credentials) => credentials ?? standard())
        : (found ?? standard())
    },
    forget: (name) => (name.startsWith('*') ? customs.clear() : customs.forget(name.toLowerCase())),
  }
}
