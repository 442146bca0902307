import type { HostStore } from '../../alias/host-store.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import type { CertificateIssuer } from '../../ports/certificate-issuer.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { bestFor } from '../best-certificate.ts'
import type { Certificate } from '../certificate.ts'
import { isHostName } from '../certificate-name.ts'
import type { AttemptStore, CertificateStore } from '../certificate-store.ts'
import { askIssuer, type KeepCertificate } from '../make-certificate.ts'
import { backOff, pauseAfter } from './back-off.ts'
import { ISSUE_KIND } from './issue-jobs.ts'

/** Who owns the certificates of the platform itself. No account has this id. */
export const PLATFORM = 'platform'

interface PlatformParts {
  readonly issuer: CertificateIssuer
  readonly keep: KeepCertificate
  readonly store: Pick<CertificateStore, 'forHost'>
  readonly attempts: AttemptStore
  readonly hosts: Pick<HostStore, 'holder'>
  readonly jobs: JobQueue
  readonly clock: Clock
  readonly log: Log
  /** Under which sites are served. */
  readonly domain: string
  readonly apiHosts: readonly string[]
}

/** Certificates of a public authority for the hosts of the platform: sites, scopes and the API. */
export interface PlatformCertificates {
  /** The one for a host; where there is none it is asked for, and somebody else has to help out meanwhile. */
  find(host: string): Promise<Certificate | undefined>
  ensure(names: readonly string[], signal: AbortSignal): Promise<void>
}

export function createPlatformCertificates(parts: PlatformParts): PlatformCertificates {
  const { issuer, keep, store, attempts, hosts, jobs, clock, log, domain } = parts
  // Addresses and names such as `localhost` are nothing to a public authority.
  const apiHosts = new Set(parts.apiHosts.filter(isHostName))
  const shared = [`*.${domain}`, domain]
  const keyOf = (names: readonly string[]) => `platform ${names.join(' ')}`

  async function stored(host: string): Promise<Certificate | undefined> {
    const candidates = (await store.forHost(host)).filter(({ ownerId }) => ownerId === PLATFORM)
    return bestFor(host, candidates, clock.now())
  }

  /** What to have made for a host: the wildcard over it, or where that was refused, a name of the API alone. */
  async function namesFor(host: string): Promise<readonly string[] | undefined> {
    const above = host.slice(host.indexOf('.') + 1)
    const isShared = host === domain || above === domain
    if (isShared && !apiHosts.has(host)) return shared
    if (isShared) return ((await attempts.find(keyOf(shared)))?.failures ?? 0) > 0 ? [host] : shared
    if (apiHosts.has(host)) return [host]
    return (await hosts.holder(host)) ? [`*.${above}`] : undefined
  }

  return {
    async find(host) {
      const found = await stored(host)
      if (found) return found
      const names = await namesFor(host)
      if (names) {
        const last = await attempts.find(keyOf(names))
        if (!last || last.retryAt <= clock.now())
          await jobs.enqueue({
            kind: ISSUE_KIND,
            payload: { platform: names },
            key: keyOf(names),
            share: PLATFORM,
          })
      }
      return undefined
    },

    async ensure(names, signal) {
      const [first = ''] = names
      const host = keyOf(names)
      const now = clock.now()
      const last = await attempts.find(host)
      if ((await stored(first)) || (last && now < last.retryAt)) return
      const failures = (last?.failures ?? 0) + 1
      // Nobody looks for it by itself: those who visit the host do.
      const attempt = { host, domain: PLATFORM, at: now, failures, retryAt: now + backOff(failures) }
      if (!(await attempts.begin({ ...attempt, error: null }, last))) return
      try {
        await keep.save(PLATFORM, 'automatic', await askIssuer(issuer, names, signal))
        await attempts.save({ ...attempt, failures: 0, error: null })
      } catch (error) {
        if (signal.aborted) throw error
        log.warn({ err: error, names }, 'no certificate was issued for the platform; retrying later')
        const { retryAfter, reason } = pauseAfter(error)
        await attempts.save({
          ...attempt,
          retryAt: Math.max(attempt.retryAt, now + retryAfter),
          error: reason,
        })
      }
    },
  }
}
