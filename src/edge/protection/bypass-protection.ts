import type { Clock } from '#core/ports/clock.ts'
import { isSameSecret } from '#core/same-secret.ts'
import { hashBearer } from '#core/token/token.ts'
import { headerOf } from '../answer.ts'
import { BYPASS, ownValue, SET_COOKIE, withoutOwnParameters } from './own-parameters.ts'
import { addressOf, type GuardedVisit, isSecure, LET_IN, type ProtectionResult, sendTo } from './visit.ts'
import { GRANT_SECONDS, type VisitorCookies } from './visitor-cookie.ts'

const MAX_SECRET = 256

/** Lets in who knows one of the project's secrets. */
export function createBypassProtection({ cookies, clock }: { cookies: VisitorCookies; clock: Clock }) {
  return (visit: GuardedVisit): ProtectionResult => {
    const { site, exchange, protection } = visit
    if (protection.bypassHashes.length === 0) return undefined
    const { question, url } = exchange
    const secret = ownValue(question, url, BYPASS)
    const hash = secret === undefined ? undefined : knownHash(secret, protection.bypassHashes)
    const now = Math.floor(clock.now() / 1000)
    if (hash === undefined) {
      const { bypass } = cookies.read(headerOf(question, 'cookie'), site.host)
      const isGood =
        bypass !== undefined && now < bypass.until && protection.bypassHashes.includes(bypass.hash)
      return isGood ? LET_IN : undefined
    }
    const clean = withoutOwnParameters(url)
    exchange.url = clean
    const request = ownValue(question, url, SET_COOKIE)
    if (request !== 'true' && request !== 'samesitenone') return LET_IN
    const grants = { bypass: { hash, until: now + GRANT_SECONDS } }
    const cookie = cookies.write(grants, site.host, {
      isSecure: isSecure(visit),
      crossSite: request === 'samesitenone',
    })
    const isRead = question.method === 'GET' || question.method === 'HEAD'
    // The secret is not to stay in the address that a browser shows, keeps and tells others.
    if (clean !== url && isRead && exchange.upgrade === undefined)
      return sendTo(307, addressOf(visit, clean), [cookie])
    visit.cookies.push(cookie)
    return LET_IN
  }
}

function knownHash(secret: string, hashes: readonly string[]): string | undefined {
  if (secret.length > MAX_SECRET) return undefined
  const given = hashBearer(secret)
  return hashes.find((hash) => isSameSecret(hash, given))
}
