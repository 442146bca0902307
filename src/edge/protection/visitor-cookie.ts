import { createHmac, timingSafeEqual } from 'node:crypto'
import { DAY, SECOND } from '#contract/time.ts'

/** Holds what a visitor has shown on a host that is not for everyone. */
export const VISITOR_COOKIE = '_platform_jwt'

/** Seconds for which nothing is asked again. */
export const GRANT_SECONDS = (7 * DAY) / SECOND

/** What a visitor has shown on a host, each until a time in seconds since the epoch. */
interface Grants {
  readonly sso?: { readonly userId: string; readonly until: number }
  readonly password?: { readonly version: string; readonly until: number }
  readonly bypass?: { readonly hash: string; readonly until: number }
}

interface CookieOptions {
  /** Whether the connection is encrypted: only then may browsers be told to keep it off all others. */
  readonly isSecure: boolean
  /** Also sent where the site is part of another one. */
  readonly crossSite?: boolean
}

export interface VisitorCookies {
  /** What the cookies of a request prove for this host. The times are for the caller to look at. */
  read(header: string | undefined, host: string): Grants
  /** The `set-cookie` that proves it. */
  write(grants: Grants, host: string, options: CookieOptions): string
}

interface Claims {
  /** The host that it is good for. */
  readonly aud: string
  readonly exp: number
  readonly grants: Grants
}

const NOTHING: Grants = {}
const HEAD = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')
const MAX_LENGTH = 1024
/** Other hosts of the same domain can set cookies of this name for ours; they must not hide the right one. */
const MAX_LOOKED_AT = 4
const MAX_KNOWN = 10_000

/** Cookies that are JSON Web Tokens, signed with the installation's key. */
export function createVisitorCookies(key: Buffer): VisitorCookies {
  /** Signed by us, by cookie: visitors send the same one with every request. */
  const known = new Map<string, Claims>()

  const sign = (text: string): Buffer => createHmac('sha256', key).update(text).digest()

  function verify(token: string): Claims | undefined {
    const [head, payload = '', signature = '', ...more] = token.split('.')
    if (head !== HEAD || more.length > 0) return undefined
    const given = Buffer.from(signature, 'base64url')
    const right = sign(`${head}.${payload}`)
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims
  }

  function claimsOf(token: string): Claims | undefined {
    const before = known.get(token)
    if (before !== undefined) return before
    const claims = verify(token)
    if (claims === undefined) return undefined
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(token, claims)
    return claims
  }

  return {
    read(header, host) {
      if (header === undefined || !header.includes(VISITOR_COOKIE)) return NOTHING
      let looks = 0
      for (const [, token = ''] of header.matchAll(COOKIE)) {
        if (looks++ >= MAX_LOOKED_AT) break
        const claims = token.length <= MAX_LENGTH ? claimsOf(token) : undefined
        if (claims?.aud === host) return claims.grants
      }
      return NOTHING
    },

    write(grants, host, { isSecure, crossSite = false }) {
      const exp = Math.max(...[grants.sso, grants.password, grants.bypass].map((one) => one?.until ?? 0))
      const claims: Claims = { aud: host, exp, grants }
      const text = `${HEAD}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
      const token = `${text}.${sign(text).toString('base64url')}`
      // Without `Secure`, browsers ignore what should be sent across sites.
      const scope = crossSite ? 'Secure; SameSite=None' : `${isSecure ? 'Secure; ' : ''}SameSite=Lax`
      return `${VISITOR_COOKIE}=${token}; Path=/; Max-Age=${GRANT_SECONDS}; HttpOnly; ${scope}`
    },
  }
}

const COOKIE = /(?<=^|;\s{0,8})_platform_jwt=([\w.-]+)/g

/** A Cookie header without what is between the visitor and us; undefined when nothing is left of it. */
export function withoutVisitorCookie(header: string): string | undefined {
  if (!header.includes(VISITOR_COOKIE)) return header
  const kept = header.split(';').filter((cookie) => cookie.split('=', 1)[0]?.trim() !== VISITOR_COOKIE)
  return kept.length === 0 ? undefined : kept.join(';').trim()
}
