import { randomBytes } from 'node:crypto'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import type { SsoPassStore } from '#core/session/session.ts'
import { refuse } from '../error/refusal.ts'

import { readTarget } from '../request/request-path.ts'
import { createBypassProtection } from './bypass-protection.ts'
import { createGuessLimit } from './guess-limit.ts'
import { createMembers } from './members.ts'
import { createPasswordProtection } from './password-protection.ts'
import { createSsoProtection } from './sso-protection.ts'
import { isTrusted } from './trusted-address.ts'
import { type GuardedVisit, LET_IN, type ProtectionResult } from './visit.ts'
import { createVisitorCookies } from './visitor-cookie.ts'

/** What it takes to let visitors into sites that are not for everyone. */
export interface ProtectionOptions {
  /** Signs visitors' cookies; the same in all serving processes. */
  readonly key: Buffer
  /** Where visitors sign in, such as `https://aloft.example/sso`. */
  readonly signInUrl: string
  readonly passes: Pick<SsoPassStore, 'take'>
  /** Whether the user is the account that owns a site, or a member of it. */
  readonly mayVisit: (userId: string, ownerId: string) => Promise<boolean>
  readonly openPassword: (sealed: string, projectId: string) => string
  readonly limiter: RateLimiter
}

export type Protection = (visit: GuardedVisit) => ProtectionResult | Promise<ProtectionResult>

/** Where nothing was said about it, such sites let nobody in. */
const CLOSED: ProtectionOptions = {
  key: randomBytes(32),
  signInUrl: '/sso',
  passes: { take: async () => undefined },
  mayVisit: async () => false,
  openPassword: () => {
    throw new Error('nothing opens passwords here')
  },
  limiter: { take: () => ({ allowed: false, remaining: 0, resetAt: 0 }) },
}

/** Visitors whose address is not among those that may come are told that there is nothing. */
const trustedIps: Protection = ({ exchange, protection: { trustedIps: trusted, sso, password } }) => {
  if (trusted === undefined) return undefined
  const isListed = isTrusted(trusted, exchange.ip)
  if (trusted.mode === 'exclusive' && isListed) return LET_IN
  const mayShowMore = trusted.mode === 'exclusive' && (sso || password !== undefined)
  return isListed || mayShowMore ? undefined : refuse('DEPLOYMENT_NOT_FOUND')
}

/** Nobody is sent back to what is no path. */
const wellFormed: Protection = ({ exchange }) =>
  readTarget(exchange.url) === undefined ? refuse('BAD_REQUEST') : undefined

/** Browsers ask what they may ask for before they can show who asks. */
const allowedOptions: Protection = ({ exchange, protection }) => {
  if (exchange.question.method !== 'OPTIONS' || protection.optionsPaths.length === 0) return undefined
  const path = readTarget(exchange.url)?.path
  return path !== undefined && protection.optionsPaths.some((prefix) => path.startsWith(prefix))
    ? LET_IN
    : undefined
}

/** All that visitors of protected sites can be asked for, in this order. */
export function createProtections(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  options: ProtectionOptions = CLOSED,
): readonly Protection[] {
  const { passes, signInUrl, openPassword } = options
  const cookies = createVisitorCookies(options.key)
  const members = createMembers({ mayVisit: options.mayVisit, clock, log })
  const guesses = createGuessLimit(options.limiter, clock)
  return [
    trustedIps,
    wellFormed,
    allowedOptions,
    createBypassProtection({ cookies, clock }),
    createSsoProtection({ cookies, members, passes, signInUrl, clock }),
    createPasswordProtection({ cookies, openPassword, guesses, clock }),
  ]
}
