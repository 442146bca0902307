import { sourceOf } from '#core/access/network-of.ts'
import type { Clock } from '#core/ports/clock.ts'
import { isSameSecret } from '#core/same-secret.ts'
import { headerOf } from '../answer.ts'
import { refuse } from '../error/refusal.ts'

import type { GuessLimit } from './guess-limit.ts'
import { withoutOwnParameters } from './own-parameters.ts'
import { readPostedForm } from './posted-form.ts'
import { addressOf, type GuardedVisit, isSecure, type ProtectionResult, sendTo } from './visit.ts'
import { GRANT_SECONDS, type VisitorCookies } from './visitor-cookie.ts'

interface PasswordProtectionOptions {
  readonly cookies: VisitorCookies
  readonly openPassword: (sealed: string, projectId: string) => string
  readonly guesses: GuessLimit
  readonly clock: Clock
}

/** The field of the form in which the password comes. */
const PASSWORD_FIELD = '_platform_password'

/** Lets in who knows the password. */
export function createPasswordProtection({
  cookies,
  openPassword,
  guesses,
  clock,
}: PasswordProtectionOptions) {
  async function check(visit: GuardedVisit, sealed: string, version: string): Promise<ProtectionResult> {
    const { site, exchange } = visit
    const given = (await readPostedForm(exchange.req))?.get(PASSWORD_FIELD)
    if (given === undefined || given === null) return refuse('PASSWORD_REQUIRED')
    const tried = await guesses.attempt(`password ${site.projectId} ${sourceOf(exchange.ip)}`, () =>
      isSameSecret(given, openPassword(sealed, site.projectId)),
    )
    if (tried === false) return refuse('PASSWORD_WRONG')
    const now = clock.now()
    if (tried !== true) {
      const seconds = Math.max(1, Math.ceil((tried.againAt - now) / 1000))
      return { code: 'TOO_MANY_TRIES', headers: ['retry-after', String(seconds)] }
    }
    const before = cookies.read(headerOf(exchange.question, 'cookie'), site.host)
    const password = { version, until: Math.floor(now / 1000) + GRANT_SECONDS }
    const cookie = cookies.write({ ...before, password }, site.host, { isSecure: isSecure(visit) })
    return sendTo(303, addressOf(visit, withoutOwnParameters(exchange.url)), [cookie])
  }

  return (visit: GuardedVisit): ProtectionResult | Promise<ProtectionResult> => {
    const { site, exchange, protection } = visit
    if (protection.password === undefined) return undefined
    const { sealed, version } = protection.password
    const { password } = cookies.read(headerOf(exchange.question, 'cookie'), site.host)
    if (password?.version === version && clock.now() < password.until * 1000) return undefined
    const { question, upgrade, isAskedAgain } = exchange
    const isTry = question.method === 'POST' && upgrade === undefined && !isAskedAgain
    return isTry ? check(visit, sealed, version) : refuse('PASSWORD_REQUIRED')
  }
}
