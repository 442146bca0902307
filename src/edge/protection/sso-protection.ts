import type { Clock } from '#core/ports/clock.ts'
import type { SsoPassStore } from '#core/session/session.ts'
import { hashBearer } from '#core/token/token.ts'
import { headerOf } from '../answer.ts'
import { refuse } from '../error/refusal.ts'

import { readTarget } from '../request/request-path.ts'
import type { Members } from './members.ts'
import { withoutOwnParameters } from './own-parameters.ts'
import { addressOf, type GuardedVisit, isSecure, type ProtectionResult, sendTo } from './visit.ts'
import { GRANT_SECONDS, type VisitorCookies } from './visitor-cookie.ts'

interface SsoProtectionOptions {
  readonly cookies: VisitorCookies
  readonly members: Members
  readonly passes: Pick<SsoPassStore, 'take'>
  /** Where visitors sign in and come back from with a pass. */
  readonly signInUrl: string
  readonly clock: Clock
}

/** Where visitors who have signed in come back to. */
const RETURN_PATH = '/_platform/sso'
/** A path of this host; with two slashes it would be another host to a browser. */
const PATH = /^\/(?![/\\])[\x21-\x7e]*$/
const NONCE = /^[0-9A-Za-z]{1,64}$/

/** Lets in the members of the account that owns the site. */
export function createSsoProtection({ cookies, members, passes, signInUrl, clock }: SsoProtectionOptions) {
  const seconds = () => Math.floor(clock.now() / 1000)
  const grantsOf = ({ site, exchange }: GuardedVisit) =>
    cookies.read(headerOf(exchange.question, 'cookie'), site.host)

  function askToSignIn(visit: GuardedVisit): ProtectionResult {
    const { question, upgrade, url } = visit.exchange
    const isBrowser =
      (question.method === 'GET' || question.method === 'HEAD') &&
      upgrade === undefined &&
      /\btext\/html\b/i.test(headerOf(question, 'accept') ?? '')
    if (!isBrowser) return refuse('SSO_REQUIRED')
    const address = addressOf(visit, withoutOwnParameters(url))
    return sendTo(302, `${signInUrl}?url=${encodeURIComponent(address)}`)
  }

  async function comeBack(visit: GuardedVisit, query: string): Promise<ProtectionResult> {
    const { site } = visit
    const given = new URLSearchParams(query)
    const [nonce, path] = [given.get('nonce') ?? '', given.get('url') ?? '/']
    if (!NONCE.test(nonce) || !PATH.test(path)) return refuse('BAD_REQUEST')
    const pass = await passes.take(hashBearer(nonce), site.host, clock.now())
    if (pass === undefined) return refuse('SSO_PASS_INVALID')
    if (!(await members.mayNow(pass.userId, site.ownerId))) return refuse('SSO_NO_ACCESS')
    const sso = { userId: pass.userId, until: seconds() + GRANT_SECONDS }
    const cookie = cookies.write({ ...grantsOf(visit), sso }, site.host, { isSecure: isSecure(visit) })
    return sendTo(303, addressOf(visit, path), [cookie])
  }

  return (visit: GuardedVisit): ProtectionResult | Promise<ProtectionResult> => {
    const { site, exchange, protection } = visit
    if (!protection.sso) return undefined
    const target = readTarget(exchange.url)
    if (target?.path === RETURN_PATH && exchange.question.method === 'GET' && !exchange.isAskedAgain)
      return comeBack(visit, target.query)
    const { sso } = grantsOf(visit)
    if (sso === undefined || seconds() >= sso.until) return askToSignIn(visit)
    const may = members.may(sso.userId, site.ownerId)
    if (may instanceof Promise) return may.then((isMember) => (isMember ? undefined : askToSignIn(visit)))
    return may ? undefined : askToSignIn(visit)
  }
}
