import type { Site } from '#core/site/site.ts'
import type { HeaderList } from '../answer.ts'

type CookieSite = Pick<Site, 'host' | 'platformDomain'>

/**
 * Cookies of a site are its own: one that names a domain which other people's sites share with it, or the platform
 * itself, loses that attribute and so is set for the host alone. Others could otherwise be signed in as somebody else.
 */
export function ownCookies<H extends HeaderList>(headers: H, site: CookieSite): H {
  if (site.platformDomain === undefined) return headers
  let changed: (string | readonly string[])[] | undefined
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] !== 'set-cookie') continue
    const value = headers[i + 1] as string | readonly string[]
    const own = typeof value === 'string' ? ownCookie(value, site) : value.map((one) => ownCookie(one, site))
    if (String(own) === String(value)) continue
    changed ??= [...headers]
    changed[i + 1] = own
  }
  return (changed as H | undefined) ?? headers
}

const DOMAIN = /^\s*domain\s*=/i

function ownCookie(cookie: string, site: CookieSite): string {
  if (!cookie.includes(';')) return cookie
  const parts = cookie.split(';')
  const kept = parts.filter((part, index) => index === 0 || !DOMAIN.test(part) || !isShared(part, site))
  return kept.length === parts.length ? cookie : kept.join(';')
}

function isShared(attribute: string, { host, platformDomain: platform = '' }: CookieSite): boolean {
  const domain = attribute
    .slice(attribute.indexOf('=') + 1)
    .trim()
    .replace(/^\./, '')
    .toLowerCase()
  if (domain === host || domain === '') return false
  return domain === platform || domain.endsWith(`.${platform}`) || platform.endsWith(`.${domain}`)
}
