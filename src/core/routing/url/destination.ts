import { decodeText, hasDotSegment } from './request-path.ts'
import {
  expandTemplate,
  type GroupNames,
  type Groups,
  hasGroups,
  mapText,
  parseTemplate,
} from './template.ts'
import { ABSOLUTE_URL, expandUrl, readUrlTemplate, type UrlParts, type UrlTemplate } from './url-template.ts'

/** Where a route sends a request: to a path of the same site, or to a URL elsewhere. */
export interface Destination {
  readonly isExternal: boolean
  /** Of a path on the same site, the path's text is decoded, as request paths are. */
  readonly url: UrlTemplate
  /** What it is for every request, if it has no groups. */
  readonly fixed: UrlParts | undefined
}

type DestinationResult =
  | { readonly ok: true; readonly destination: Destination }
  | { readonly ok: false; readonly reason: string }

const MAX_LENGTH = 4096

/** A path grows with every `$1$1` that rewrites it; beyond this it is no path that anyone asked for. */
const MAX_RESOLVED_LENGTH = 16_384

export function readDestination(dest: string, names: GroupNames): DestinationResult {
  if (dest === '') return { ok: false, reason: 'it is empty' }
  if (dest.length > MAX_LENGTH) return { ok: false, reason: `it is longer than ${MAX_LENGTH} characters` }
  const isExternal = ABSOLUTE_URL.test(dest)
  if (isExternal ? dest.startsWith('//') : OTHER_SCHEME.test(dest))
    return { ok: false, reason: 'it must be a path or a URL that starts with http:// or https://' }
  const template = parseTemplate(dest, names)
  const read = readUrlTemplate(template)
  if (!read.ok) return read
  const url = isExternal ? read.url : { ...read.url, path: mapText(read.url.path, decodeText) }
  const example = url.path.map((part) => (typeof part === 'number' ? 'x' : part)).join('')
  if (hasDotSegment(`/${example}`)) return { ok: false, reason: 'it must not have . or .. as a path segment' }
  const fixed = hasGroups(template) ? undefined : expandDestination(isExternal, url, [])
  return { ok: true, destination: { isExternal, url, fixed } }
}

/**
 * The destination of one request, its path decoded if it is on the same site. Undefined if what the groups
 * captured would lead out of the place that the route's author meant, or if it gets too long.
 */
export const resolveDestination = (
  { isExternal, url, fixed }: Destination,
  groups: Groups,
): UrlParts | undefined => fixed ?? expandDestination(isExternal, url, groups)

function expandDestination(isExternal: boolean, url: UrlTemplate, groups: Groups): UrlParts | undefined {
  const parts = isExternal ? expandUrl(url, groups, MAX_RESOLVED_LENGTH) : expandPath(url, groups)
  return parts === undefined || hasDotSegment(parts.path) ? undefined : parts
}

const OTHER_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

function expandPath(url: UrlTemplate, groups: Groups): UrlParts | undefined {
  const path = expandTemplate(url.path, groups, (group) => group, MAX_RESOLVED_LENGTH)
  const rest = expandUrl({ ...url, path: [] }, groups, MAX_RESOLVED_LENGTH)
  return path === undefined || rest === undefined
    ? undefined
    : { ...rest, path: `/${path}`.replace(/\/{2,}/g, '/') }
}
