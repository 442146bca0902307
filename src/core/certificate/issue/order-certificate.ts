import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AloftError } from '#contract/errors.ts'
import { MINUTE, SECOND } from '#contract/time.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import type { Bus } from '../../ports/bus.ts'
import { type CertificateIssuer, IssueFailure } from '../../ports/certificate-issuer.ts'
import type { Certificate } from '../certificate.ts'
import type { AttemptStore, CertificateStore } from '../certificate-store.ts'
import { askIssuer, type KeepCertificate } from '../make-certificate.ts'
import { orderJob } from './issue-jobs.ts'

/** Has a certificate made that somebody asked for, and waits for it. */
export type OrderCertificate = (ownerId: string, names: readonly string[]) => Promise<Certificate>

/** The message is the key of an order that was carried out or refused. */
export const ORDERS_TOPIC = 'certificate-orders'

interface OrderParts {
  readonly issuer: CertificateIssuer
  readonly keep: KeepCertificate
  readonly store: Pick<CertificateStore, 'withNames'>
  readonly attempts: Pick<AttemptStore, 'find'>
  readonly jobs: JobQueue
  readonly bus: Bus
  /** How long somebody waits; the order is carried out even if that is not enough. */
  readonly waitMs?: number
}

/** In case the word that it is done was lost. */
const LOOK_MS = 5 * SECOND

const keyOf = (ownerId: string, names: readonly string[]): string =>
  `order ${createHash('sha256')
    .update([ownerId, ...names].join(' '))
    .digest('hex')}`

/** Says how long the authority wants to be left alone, where it told us. */
const refused = (failure: IssueFailure) =>
  new AloftError(
    'service_unavailable',
    `The certificate authority refused to issue the certificate: ${failure.message}`,
    {},
    { cause: failure },
  )

export function createOrderCertificate(parts: OrderParts): OrderCertificate {
  const { issuer, keep, store, attempts, jobs, bus, waitMs = MINUTE } = parts

  async function atOnce(ownerId: string, names: readonly string[]): Promise<Certificate> {
    const fresh = await askIssuer(issuer, names, AbortSignal.timeout(waitMs)).catch((error: unknown) => {
      throw error instanceof IssueFailure ? refused(error) : error
    })
    return keep.save(ownerId, 'issued', fresh)
  }

  async function byJob(ownerId: string, names: readonly string[]): Promise<Certificate> {
    const key = keyOf(ownerId, names)
    const before = await store.withNames(ownerId, names)
    const lastAttempt = await attempts.find(key)
    let wake = Promise.withResolvers<void>()
    const stop = bus.subscribe(ORDERS_TOPIC, (message) => {
      if (message === key) wake.resolve()
    })
    const deadline = AbortSignal.timeout(waitMs)
    try {
      await jobs.enqueue(orderJob(ownerId, names, key))
      while (!deadline.aborted) {
        await Promise.race([wake.promise, sleep(LOOK_MS, undefined, { signal: deadline }).catch(() => {})])
        wake = Promise.withResolvers()
        const now = await store.withNames(ownerId, names)
        if (now && now.cert !== before?.cert) return now
        const attempt = await attempts.find(key)
        // Told apart by being another one: it may have begun before this request, or on a machine with another clock.
        if (attempt && attempt.at !== lastAttempt?.at && attempt.error !== null)
          throw refused(new IssueFailure(attempt.error, attempt.retryAt - attempt.at || undefined))
      }
    } finally {
      stop()
    }
    throw new AloftError(
      'service_unavailable',
      'The certificate authority hasn’t answered yet. The certificate appears in the list once it is issued.',
    )
  }

  return issuer.instant ? atOnce : byJob
}
