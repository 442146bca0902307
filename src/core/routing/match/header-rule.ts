import { CONNECTION_HEADERS } from '../../connection-headers.ts'
import { encodePath } from '../url/request-path.ts'
import {
  expandTemplate,
  type GroupNames,
  type Groups,
  hasGroups,
  parseTemplate,
  type Template,
} from '../url/template.ts'
import { ABSOLUTE_URL, expandUrl, readUrlTemplate, toUrl, type UrlTemplate } from '../url/url-template.ts'

/** A response header of a route. What groups captured goes in percent-encoded, so it is printable ASCII. */
export interface HeaderRule {
  /** In lower case. */
  readonly name: string
  readonly value: string | { readonly text: Template } | { readonly url: UrlTemplate }
}

type HeaderRuleResult =
  | { readonly ok: true; readonly header: HeaderRule }
  | { readonly ok: false; readonly reason: string }

const MAX_NAME_LENGTH = 256
const MAX_VALUE_LENGTH = 4096
const MAX_EXPANDED_LENGTH = 8192

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/
const BEYOND_LATIN1 = /[^\0-\xff]/

/** They frame the message or belong to one connection: only the server itself can get them right. */
const RESERVED: ReadonlySet<string> = new Set([...CONNECTION_HEADERS, 'content-length'])

export function readHeaderRule(name: string, value: unknown, names: GroupNames): HeaderRuleResult {
  if (name.length > MAX_NAME_LENGTH || !NAME.test(name))
    return { ok: false, reason: 'it is not a valid header name' }
  const lowerName = name.toLowerCase()
  if (RESERVED.has(lowerName)) return { ok: false, reason: 'only the server can set this header' }
  if (typeof value !== 'string') return { ok: false, reason: 'its value must be a string' }
  if (value.length > MAX_VALUE_LENGTH)
    return { ok: false, reason: `its value is longer than ${MAX_VALUE_LENGTH} characters` }
  const text = parseTemplate(value, names)
  const isUrl = lowerName === 'location' && (value.startsWith('/') || ABSOLUTE_URL.test(value))
  if (CONTROL.test(value) || (!isUrl && BEYOND_LATIN1.test(value)))
    return {
      ok: false,
      reason: 'its value has a line break or another character that is not allowed in a header',
    }
  if (!isUrl)
    return { ok: true, header: { name: lowerName, value: hasGroups(text) ? { text } : text.join('') } }
  const read = readUrlTemplate(text)
  return read.ok ? { ok: true, header: { name: lowerName, value: { url: read.url } } } : read
}

/** Undefined if a group does not fit in its place or if the value gets too long. */
export function expandHeader({ value }: HeaderRule, groups: Groups): string | undefined {
  if (typeof value === 'string') return value
  if ('text' in value) return expandTemplate(value.text, groups, encodeText, MAX_EXPANDED_LENGTH)
  const url = expandUrl(value.url, groups, MAX_EXPANDED_LENGTH)
  return url && toUrl(url)
}

/** Brackets are no matter for a header, and outputs of frameworks have names such as `blog/[slug]`. */
const encodeText = (text: string): string => encodePath(text).replace(/%5B/g, '[').replace(/%5D/g, ']')
