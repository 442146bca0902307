import { invalidRequest } from '#contract/errors.ts'
import { CONNECTION_HEADERS } from '../connection-headers.ts'
import { isSignatureHeader } from '../webhook/signature.ts'

const MOST_HEADERS = 10
const LONGEST_VALUE = 2048
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/
/** Characters that a header can hold and every server reads alike. */
const VALUE = /^[\x20-\x7e]*$/

/** Headers that are made for each request, or belong to the connection. */
const OURS: ReadonlySet<string> = new Set([
  ...CONNECTION_HEADERS,
  ...['content-encoding', 'content-length', 'content-type', 'expect', 'host'],
])

/** Headers that are sent with every batch, their names in lower case. */
export function readHeaders(
  headers: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  if (headers === undefined) return undefined
  const pairs = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  if (pairs.length > MOST_HEADERS) throw refuse(`should have at most ${MOST_HEADERS} entries`)
  for (const [name, value] of pairs) {
    if (!NAME.test(name)) throw refuse('contains an invalid header name')
    if (OURS.has(name) || name.startsWith('x-platform-') || isSignatureHeader(name))
      throw refuse(`should not contain \`${name}\``)
    if (value.length > LONGEST_VALUE || !VALUE.test(value)) throw refuse(`has no valid value for \`${name}\``)
  }
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}

const refuse = (why: string) => invalidRequest(`\`headers\` ${why}`)
