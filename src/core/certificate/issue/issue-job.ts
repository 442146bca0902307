import { DAY, HOUR, MINUTE, SECOND } from '#contract/time.ts'
import type { HostStore } from '../../alias/host-store.ts'
import type { JobHandler } from '../../job/job-handler.ts'
import type { JobPayload } from '../../job/job-queue.ts'
import type { Bus } from '../../ports/bus.ts'
import { type CertificateIssuer, IssueFailure } from '../../ports/certificate-issuer.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Certificate } from '../certificate.ts'
import type { AttemptStore, CertificateStore } from '../certificate-store.ts'
import type { NameCheck } from '../check-names.ts'
import { askIssuer, type KeepCertificate } from '../make-certificate.ts'
import type { AutomaticCertificates } from './automatic-certificates.ts'
import { pauseAfter } from './back-off.ts'
import { ISSUE_KIND } from './issue-jobs.ts'
import type { MayCertify } from './may-certify.ts'
import type { OrderAllowance } from './order-allowance.ts'
import { ORDERS_TOPIC } from './order-certificate.ts'
import { PLATFORM, type PlatformCertificates } from './platform-certificates.ts'

interface IssueParts {
  readonly issuer: CertificateIssuer
  readonly keep: KeepCertificate
  readonly store: CertificateStore
  readonly attempts: AttemptStore
  readonly hosts: Pick<HostStore, 'holder'>
  readonly mayCertify: MayCertify
  readonly check: NameCheck
  readonly orders: OrderAllowance
  readonly automatic: AutomaticCertificates
  /** Where the platform's own certificates come from the same authority. */
  readonly platform?: PlatformCertificates | undefined
  readonly bus: Bus
  readonly clock: Clock
  readonly onChanged: (names: readonly string[]) => void
}

/**
 * The closer its end, the more often it is tried, and less often again once that is past: its host may have moved away for
 * good, and what is refused takes of the orders that all others have. Never before the authority would listen. Databases take no
 * fractions.
 */
const nextTry = ({ expiresAt }: Certificate, now: number, retryAfter: number): number =>
  now + Math.max(retryAfter, Math.min(DAY, Math.max(HOUR, Math.round(Math.abs(expiresAt - now) / 20))))

const isText = (value: unknown): value is string => typeof value === 'string'

/** Asks the authority: for hosts that have no certificate, for those that will end, and for those that were ordered. */
export function createIssueJob(parts: IssueParts): JobHandler {
  const { issuer, keep, store, attempts, hosts, mayCertify, check, automatic, platform } = parts
  const { orders, bus, clock, onChanged } = parts

  async function isServed({ ownerId, names }: Certificate): Promise<boolean> {
    if (ownerId === PLATFORM) return platform !== undefined
    for (const name of names) if ((await hosts.holder(name))?.ownerId === ownerId) return true
    return false
  }

  /** An automatic one stands for names that still lead here, as it did when it was made. */
  async function checkLeads(ownerId: string, names: readonly string[]): Promise<void> {
    for (const name of names)
      if (!(await mayCertify(ownerId, name)))
        throw new IssueFailure(
          `${name} no longer points to this installation, and its domain is not verified`,
        )
  }

  async function renew(ownerId: string, id: string, signal: AbortSignal, log: Log): Promise<void> {
    const old = await store.find(ownerId, id)
    const now = clock.now()
    if (!old || old.renewAt === null || old.renewAt > now) return
    if (old.source === 'automatic' && !(await isServed(old))) {
      if (await store.remove(ownerId, id)) onChanged(old.names)
      return
    }
    try {
      if (old.source === 'issued') await check.issuable(ownerId, old.names)
      else if (ownerId !== PLATFORM) await checkLeads(ownerId, old.names)
      await keep.renew(old, await askIssuer(issuer, old.names, signal))
    } catch (error) {
      if (signal.aborted) throw error
      log.warn({ err: error, certificate: id }, 'a certificate was not renewed; retrying later')
      await store.postpone(id, nextTry(old, now, pauseAfter(error).retryAfter))
    }
  }

  async function carryOut(
    ownerId: string,
    names: readonly string[],
    key: string,
    signal: AbortSignal,
  ): Promise<void> {
    const at = clock.now()
    const attempt = { host: key, domain: '', failures: 0, at, retryAt: at }
    try {
      await keep.save(ownerId, 'issued', await askIssuer(issuer, names, signal, orders(ownerId)))
      await attempts.save({ ...attempt, error: null })
    } catch (error) {
      if (signal.aborted) throw error
      const { retryAfter, reason } = pauseAfter(error)
      await attempts.save({ ...attempt, retryAt: at + retryAfter, error: reason })
    }
    bus.publish(ORDERS_TOPIC, key)
  }

  return {
    kind: ISSUE_KIND,
    summary: 'Issue certificates for hosts without one, and renew expiring ones',
    timeLimit: 5 * MINUTE,
    maxAttempts: 5,
    atOnce: 4,
    // Authorities ask servers that the owner of a domain has named, and wait for them.
    ofOneAccount: 2,
    givesWayAfter: 30 * SECOND,
    async run({ host, ownerId, id, names, order, platform: own }: JobPayload, { signal, log }) {
      if (isText(host)) await automatic.ensure(host, signal)
      else if (isText(ownerId) && isText(id)) await renew(ownerId, id, signal, log)
      else if (isText(ownerId) && isText(order) && Array.isArray(names))
        await carryOut(ownerId, names.filter(isText), order, signal)
      else if (Array.isArray(own)) await platform?.ensure(own.filter(isText), signal)
    },
  }
}
