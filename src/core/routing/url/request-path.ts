/**
 * Routes match, and files are looked up by, the decoded form of a request's path.
 *
 * Decoding is total, and one-to-one so that a path can be encoded again without changing its meaning: what
 * was judged by the rules is what a function or an upstream gets. Therefore some escapes stay as they are,
 * in upper case: the slash (`%2F`, data inside a segment and never a separator), the backslash, control
 * characters and bytes that are not UTF-8. A percent sign that would then read as the start of one of those
 * stays `%25`; any other that starts no escape is a plain character. After decoding, repeated slashes are one,
 * and `.` and `..` segments are resolved and cannot climb above the root.
 */
export function decodePath(raw: string): string {
  if (PLAIN_PATH.test(raw)) return raw
  return resolveSegments(decodeText(raw.replace(BYTE_OR_UNSAFE, escapeByte)))
}

/** Decodes the escapes of text without control characters as {@link decodePath} does; segments stay as they are. */
export const decodeText = (text: string): string =>
  text.replace(ESCAPE, decodeEscape).replace(AMBIGUOUS_PERCENT, '%25').replaceAll(KEPT_MARK, '%')

/** The inverse of {@link decodePath}: printable ASCII without spaces, double quotes, `?`, `#` and `\`. */
export function encodePath(path: string): string {
  if (PLAIN_TEXT.test(path)) return path
  return encodeURI(path.toWellFormed()).replace(ESCAPED_KEPT, '%').replace(/[?#]/g, encodeURIComponent)
}

/** Encodes part of a decoded path as a value of a query. */
export const encodeQueryText = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(ESCAPED_KEPT, '%')

/** Encodes what may not stand in a URL and leaves its delimiters and escapes alone. */
export const encodeUrlText = (text: string): string =>
  text.toWellFormed().replace(NOT_URL_TEXT, encodeURIComponent)

/** Like {@link encodeUrlText}, for text as an HTTP parser hands it over: one character a byte. */
export const encodeRawText = (text: string): string => encodeUrlText(text.replace(BYTE_OR_UNSAFE, escapeByte))

/** Whether a path climbs or stands still, also for a reader that takes an escaped slash or dot at its word. */
export const hasDotSegment = (path: string): boolean => DOT_SEGMENT.test(path)

// The usual path, with nothing to decode, merge or resolve.
const PLAIN_PATH = /^(?=\/)(?:\/[\w~!$&'()*+,;=:@-][\w.~!$&'()*+,;=:@-]*)*\/?$/
const PLAIN_TEXT = /^[\w.~!$&'()*+,;=:@/-]*$/

// HTTP parsers hand over a byte above 0x7f as one character.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const BYTE_OR_UNSAFE = /[\x00-\x1f\x7f-\xff\\]/g

const KEPT = '(?:2f|5c|[01][0-9a-f]|7f|[89a-f][0-9a-f])'
const ESCAPE = new RegExp(
  [
    '%[cd][0-9a-f]%[89ab][0-9a-f]',
    '%e[0-9a-f](?:%[89ab][0-9a-f]){2}',
    '%f[0-7](?:%[89ab][0-9a-f]){3}',
    `(%${KEPT})`,
    '%[2-7][0-9a-f]',
  ].join('|'),
  'gi',
)
/** Stands for the percent sign of an escape that is kept, until all others are decoded. */
const KEPT_MARK = '\0'
const AMBIGUOUS_PERCENT = new RegExp(`%(?=(?:25)*${KEPT})`, 'gi')
const ESCAPED_KEPT = new RegExp(`%25(?=(?:25)*${KEPT})`, 'gi')
const NOT_URL_TEXT = /[^\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]/gu
const DOT_SEGMENT = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?=$|[/\\]|%2f|%5c)/i

const escapeByte = (char: string): string =>
  `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

function decodeEscape(sequence: string, kept: string | undefined): string {
  try {
    if (kept === undefined) return decodeURIComponent(sequence)
  } catch {
    // Bytes that only look like UTF-8 are kept as well.
  }
  return sequence.toUpperCase().replaceAll('%', KEPT_MARK)
}

function resolveSegments(path: string): string {
  const segments = path.split('/')
  const resolved: string[] = []
  for (const segment of segments) {
    if (segment === '..') resolved.pop()
    else if (segment !== '' && segment !== '.') resolved.push(segment)
  }
  const last = segments.at(-1)
  const isDirectory = last === '' || last === '.' || last === '..'
  return `/${resolved.join('/')}${isDirectory && resolved.length > 0 ? '/' : ''}`
}
