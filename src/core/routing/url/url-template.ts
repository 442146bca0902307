import { encodePath, encodeQueryText, encodeUrlText } from './request-path.ts'
import { expandTemplate, type Groups, hasGroups, mapText, splitTemplate, type Template } from './template.ts'

/** A URL with groups in it, each put in as its place demands, so that no group can end the part it is in. */
export interface UrlTemplate {
  /** Scheme and host as in `https://example.com`; empty for a path of the same site. */
  readonly origin: Template
  readonly path: Template
  readonly query: Template
  readonly fragment: Template
}

export interface UrlParts {
  readonly origin: string
  readonly path: string
  readonly query: string
  readonly fragment: string
}

type UrlTemplateResult =
  | { readonly ok: true; readonly url: UrlTemplate }
  | { readonly ok: false; readonly reason: string }

export const ABSOLUTE_URL = /^(?:https?:)?\/\//i

/** Reads `https://host/path?query#fragment`, `//host/path` and `/path`. */
export function readUrlTemplate(template: Template): UrlTemplateResult {
  const [text] = template
  const scheme = typeof text === 'string' ? ABSOLUTE_URL.exec(text)?.[0] : undefined
  if (typeof text !== 'string' || scheme === undefined)
    return { ok: true, url: { origin: [], ...readRest(template) } }
  const [authority, rest = []] = splitTemplate([text.slice(scheme.length), ...template.slice(1)], /[/?#]/)
  const last = authority.at(-1)
  // In `https://example.com$1` the group is the beginning of the path.
  const endsInGroup = typeof last === 'number'
  const host = endsInGroup ? authority.slice(0, -1) : authority
  const reason = hostError(host)
  if (reason !== undefined) return { ok: false, reason }
  const origin = hasGroups(host) ? [scheme, ...host] : [normalizeOrigin(scheme + host.join('')) ?? '']
  return { ok: true, url: { origin, ...readRest(endsInGroup ? [last, ...rest] : rest) } }
}

/** Undefined if it gets longer than `limit` or if a group does not fit in its place. */
export function expandUrl(url: UrlTemplate, groups: Groups, limit: number): UrlParts | undefined {
  const origin = expandOrigin(url.origin, groups, limit)
  const path = expandTemplate(url.path, groups, encodePath, limit)
  const query = expandTemplate(url.query, groups, encodeQueryText, limit)
  const fragment = expandTemplate(url.fragment, groups, encodePath, limit)
  if (origin === undefined || path === undefined || query === undefined || fragment === undefined)
    return undefined
  // Two slashes at the start would make the next segment a host.
  if (origin === '') return { origin, path: path.replace(/^\/{2,}/, '/'), query, fragment }
  if (path !== '' && !path.startsWith('/')) return undefined
  return { origin, path, query, fragment }
}

export const toUrl = ({ origin, path, query, fragment }: UrlParts): string =>
  `${origin}${path}${query === '' ? '' : `?${query}`}${fragment === '' ? '' : `#${fragment}`}`

function expandOrigin(origin: Template, groups: Groups, limit: number): string | undefined {
  if (!hasGroups(origin)) return origin.join('')
  const fit = origin.every((part) => typeof part === 'string' || HOST_LABELS.test(groups[part - 1] ?? ''))
  const text = fit ? expandTemplate(origin, groups, String, limit) : undefined
  return text && normalizeOrigin(text)
}

const HOST_LABELS = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i

// A group may choose a name under a domain, never the domain: `$1.example.com` and `$1-beta.example.com`.
const UNDER_A_DOMAIN = /^(?:\.|[a-z0-9-]*\.[a-z0-9-]+\.)[a-z0-9.-]+(?::\d+)?$/i

function hostError(host: Template): string | undefined {
  const last = host.at(-1)
  if (typeof last !== 'string') return 'its host must be literal and not come from a group'
  if (host.some((part) => typeof part === 'string' && part.includes('@')))
    return 'it must not contain a user name or password'
  if (hasGroups(host) && !UNDER_A_DOMAIN.test(last))
    return 'a group in its host must be followed by a domain, as in https://$1.example.com'
  const example = host.map((part) => (typeof part === 'string' ? part : 'x')).join('')
  return normalizeOrigin(`https://${example}`) === undefined ? `${example} is not a valid host` : undefined
}

/** In lower case, with names in ASCII and addresses in their usual form; undefined if it is no origin. */
function normalizeOrigin(origin: string): string | undefined {
  const isRelative = origin.startsWith('//')
  const url = URL.parse(isRelative ? `https:${origin}` : origin)
  if (url === null || url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined
  return `${isRelative ? '' : url.protocol}//${url.host}`
}

function readRest(rest: Template): Omit<UrlTemplate, 'origin'> {
  const [beforeFragment, fragment = []] = splitTemplate(rest, /#/)
  const [path, query = []] = splitTemplate(beforeFragment, /\?/)
  return {
    path: mapText(path, encodeUrlText),
    query: mapText(withoutDelimiter(query), encodeUrlText),
    fragment: mapText(withoutDelimiter(fragment), encodeUrlText),
  }
}

const withoutDelimiter = (template: Template): Template =>
  template.map((part, index) => (index === 0 && typeof part === 'string' ? part.slice(1) : part))
