import { HOUR } from '#contract/time.ts'
import { type BeforeOrder, IssueFailure } from '../../ports/certificate-issuer.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RateLimiter } from '../../ports/rate-limiter.ts'

/** What is called before each order for new names of an account. Renewals have what is left over, and need no leave. */
export type OrderAllowance = (ownerId: string) => BeforeOrder

/** The authority was not asked. */
export class OrdersSpent extends IssueFailure {}

/** Somebody may name hosts that lead elsewhere, whatever their domains. */
export const OF_AN_ACCOUNT = { points: 30, ms: HOUR }
/**
 * Of all accounts together. Let's Encrypt takes 300 orders in three hours, which are in four of these windows at most: a fifth of
 * them is left for renewals.
 */
const OF_ALL = { points: 60, ms: HOUR }

/** A certificate may take several orders, and authorities count each against the whole installation, whatever comes of it. */
export function createOrderAllowance(limiter: RateLimiter, clock: Clock): OrderAllowance {
  async function take(key: string, window: typeof OF_ALL, whose: string): Promise<void> {
    const { allowed, resetAt } = await limiter.take(key, window)
    if (allowed) return
    throw new OrdersSpent(
      `The certificate authority was asked ${window.points} times for ${whose} within an hour`,
      Math.max(resetAt - clock.now(), 0),
    )
  }

  return (ownerId) => async () => {
    await take(`certificate-orders ${ownerId}`, OF_AN_ACCOUNT, 'this account')
    await take('certificate-orders', OF_ALL, 'this installation')
  }
}
