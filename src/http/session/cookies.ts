import type { IncomingHttpHeaders } from 'node:http'
import { DAY, MINUTE, SECOND } from '#contract/time.ts'

/** Every cookie of ours. A session ends by its own clock; browsers keep no cookie longer than this. */
const LIVES = { aloft_session: 400 * DAY, aloft_login: 30 * MINUTE } as const
type CookieName = keyof typeof LIVES

const VALUE = /^[0-9A-Za-z]{24}$/

/** With this prefix a browser takes the cookie from this very host alone, not from a site beside it. */
const nameOf = (name: CookieName, secure: boolean): string => (secure ? `__Host-${name}` : name)

export function readCookie(
  headers: IncomingHttpHeaders,
  name: CookieName,
  secure: boolean,
): string | undefined {
  const { cookie } = headers
  if (cookie === undefined) return undefined
  const start = `${nameOf(name, secure)}=`
  const found = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
  // Of two, one was set by somebody else, and there is no telling which.
  const value = found.length === 1 ? (found[0] as string).slice(start.length) : ''
  return VALUE.test(value) ? value : undefined
}

const written = (name: CookieName, value: string, seconds: number, secure: boolean): string =>
  `${nameOf(name, secure)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`

export const writeCookie = (name: CookieName, value: string, secure: boolean): string =>
  written(name, value, LIVES[name] / SECOND, secure)

export const clearCookie = (name: CookieName, secure: boolean): string => written(name, '', 0, secure)
