import { DAY, HOUR, MINUTE, SECOND } from '#contract/time.ts'
import type { HostStore } from '../../alias/host-store.ts'
import { isPlatformHost } from '../../deployment/hosts.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import type { CertificateIssuer } from '../../ports/certificate-issuer.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { RateLimiter } from '../../ports/rate-limiter.ts'
import { Shares } from '../../shares.ts'
import { bestFor } from '../best-certificate.ts'
import type { Certificate } from '../certificate.ts'
import { isHostName } from '../certificate-name.ts'
import type { AttemptStore, CertificateStore } from '../certificate-store.ts'
import { askIssuer, type KeepCertificate } from '../make-certificate.ts'
import { backOff, pauseAfter } from './back-off.ts'
import { hostJob, registrable } from './issue-jobs.ts'
import type { MayCertify } from './may-certify.ts'
import { OF_AN_ACCOUNT, type OrderAllowance, OrdersSpent } from './order-allowance.ts'

interface AutomaticParts {
  readonly issuer: CertificateIssuer
  readonly keep: KeepCertificate
  readonly store: Pick<CertificateStore, 'forHost'>
  readonly attempts: AttemptStore
  readonly hosts: Pick<HostStore, 'holder'>
  readonly mayCertify: MayCertify
  readonly jobs: JobQueue
  readonly limiter: RateLimiter
  readonly orders: OrderAllowance
  readonly clock: Clock
  readonly log: Log
  /** Of the platform, whose certificates are not made here. */
  readonly domain: string
}

/** Certificates for the hosts that we serve, without anybody asking for them. */
export interface AutomaticCertificates {
  /** Whether a host would get one: those of the platform have theirs. */
  isCustom(host: string): boolean
  /** These hosts are served now, or not any more: those that want a certificate will get one. */
  wanted(hosts: readonly string[]): Promise<void>
  /** The host's certificate, made now if that can be done now. Before anything is asked of an authority, it is seen
   *  to that the host is ours and that it is not asked too often. */
  ensure(host: string, signal: AbortSignal): Promise<Certificate | undefined>
  /** For a handshake that waits: at once, or later for the next. */
  onDemand(host: string): Promise<Certificate | undefined>
}

type Postpone = (why: string, ms?: number) => Promise<undefined>

/** New hosts of one domain that an authority is asked for in a day. */
const MOST_A_DAY = 20
/** Made during handshakes at once, in one process, and of those for one account: its nameservers say how long each takes. */
const AT_ONCE = { all: 8, one: 2 }
const HANDSHAKE_MS = 10 * SECOND
/** Somebody who has just created the records waits for it, and DNS is not asked for every visitor. */
const LOOK_AGAIN = MINUTE

export function createAutomaticCertificates(parts: AutomaticParts): AutomaticCertificates {
  const { issuer, keep, store, attempts, hosts, mayCertify, jobs, limiter, clock, log, domain } = parts
  const handshakes = new Shares(AT_ONCE)

  const isCustom = (host: string) =>
    host !== domain && !isPlatformHost(host, domain) && isHostName(host.replace(/^\*\./, ''))

  /**
   * The name is put down before the authority is asked: what crashes is counted as well. It is also before the others of the
   * domain are counted: of those that come at the same moment, in whatever process, none is overlooked. Of several for the same host
   * one asks. Answers how to put it off, where that turns out not to be its turn; undefined where it is not to be asked for.
   */
  async function admit(ownerId: string, host: string): Promise<Postpone | undefined> {
    const now = clock.now()
    const last = await attempts.find(host)
    if (last && now < last.retryAt) {
      // The round that tries failures again finds it then, though nothing failed since it is served again.
      if (last.failures === 0) await attempts.save({ ...last, failures: 1 })
      return undefined
    }
    const failures = (last?.failures ?? 0) + 1
    const attempt = { host, domain: registrable(host), failures, error: last?.error ?? null }
    if (!(await attempts.begin({ ...attempt, at: now, retryAt: now + backOff(failures) }, last)))
      return undefined
    const isNew = last === undefined || last.at <= now - DAY
    const postpone = async (error: string, ms = HOUR) => {
      const at = last?.at ?? 0
      await attempts.save({ ...attempt, failures: failures - 1 || 1, at, retryAt: now + ms, error })
      return undefined
    }
    if (isNew && (await attempts.count(attempt.domain, now - DAY, MOST_A_DAY + 1)) > MOST_A_DAY)
      return postpone(`${MOST_A_DAY} hosts of ${attempt.domain} were tried within a day`)
    const { allowed } = await limiter.take(`automatic-certificates ${ownerId}`, OF_AN_ACCOUNT)
    return allowed
      ? postpone
      : postpone(`${OF_AN_ACCOUNT.points} hosts of this account were tried within an hour`)
  }

  /** Where it does not, that is put down, and the round that tries failures again finds out when it does. */
  async function leadsHere(ownerId: string, host: string): Promise<boolean> {
    const now = clock.now()
    const last = await attempts.find(host)
    if (last && last.failures > 0 && now < last.retryAt) return false
    if (await mayCertify(ownerId, host)) {
      if (last) await attempts.remove(host)
      return true
    }
    const error = `${host} does not point to this installation, and its domain is not verified`
    const retryAt = now + LOOK_AGAIN
    await attempts.save({ host, domain: registrable(host), failures: 1, at: now, retryAt, error })
    return false
  }

  async function succeeded(host: string): Promise<void> {
    const now = clock.now()
    // Somebody may delete it again and again.
    await attempts.save({
      host,
      domain: registrable(host),
      failures: 0,
      at: now,
      retryAt: now + HOUR,
      error: null,
    })
  }

  /**
   * It is served no more, or has got a certificate in another way, and is not tried again by itself. That it was tried still counts for its domain: else whoever takes a host
   * away and gives it back has the authority asked without end, and it refuses the whole installation.
   */
  async function forget(host: string): Promise<void> {
    const last = await attempts.find(host)
    if (last && last.failures > 0) await attempts.save({ ...last, failures: 0, error: null })
  }

  async function failed(host: string, error: unknown): Promise<void> {
    const last = await attempts.find(host)
    if (!last) return
    const { retryAfter, reason } = pauseAfter(error)
    const retryAt = Math.max(last.retryAt, clock.now() + retryAfter)
    await attempts.save({ ...last, retryAt, error: reason })
  }

  /** The account that serves a host. */
  async function ownerOf(host: string): Promise<string | undefined> {
    const holder = isCustom(host) ? await hosts.holder(host) : undefined
    if (!holder) await forget(host)
    return holder?.ownerId
  }

  async function ensureFor(
    ownerId: string,
    host: string,
    signal: AbortSignal,
  ): Promise<Certificate | undefined> {
    const candidates = (await store.forHost(host)).filter((candidate) => candidate.ownerId === ownerId)
    const known = bestFor(host, candidates, clock.now())
    if (known) {
      await forget(host)
      return known
    }
    if (issuer.instant) {
      if (!(await leadsHere(ownerId, host))) return undefined
      return keep.save(ownerId, 'automatic', await askIssuer(issuer, [host], signal))
    }
    const postpone = await admit(ownerId, host)
    if (!postpone) return undefined
    let isAsked = false
    const allow = parts.orders(ownerId)
    const beforeOrder = async () => {
      await allow()
      isAsked = true
    }
    try {
      const fresh = await askIssuer(issuer, [host], signal, beforeOrder)
      const made = await keep.save(ownerId, 'automatic', fresh)
      await succeeded(host)
      return made
    } catch (error) {
      if (signal.aborted) throw error
      // It has not failed, and would come later each time than those that have.
      if (error instanceof OrdersSpent && !isAsked) return postpone(error.message, error.retryAfter)
      log.warn({ err: error, host }, 'no certificate was issued for a host; retrying later')
      await failed(host, error)
      return undefined
    }
  }

  return {
    isCustom,
    async wanted(changed) {
      for (const host of new Set(changed)) if (isCustom(host)) await jobs.enqueue(hostJob(host))
    },
    async ensure(host, signal) {
      const ownerId = await ownerOf(host)
      return ownerId === undefined ? undefined : ensureFor(ownerId, host, signal)
    },
    async onDemand(host) {
      if (!isCustom(host)) return undefined
      if (!issuer.instant) {
        await jobs.enqueue(hostJob(host))
        return undefined
      }
      const ownerId = await ownerOf(host)
      const giveBack = ownerId === undefined ? undefined : handshakes.take(ownerId)
      if (ownerId === undefined || giveBack === undefined) return undefined
      try {
        return await ensureFor(ownerId, host, AbortSignal.timeout(HANDSHAKE_MS))
      } finally {
        giveBack()
      }
    },
  }
}
