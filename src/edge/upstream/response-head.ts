import { remembering } from '#core/remembering.ts'

/** What an instance says before the body of its answer. */
export interface ResponseHead {
  readonly status: number
  /** Names, in lower case, and values in turn, in the order in which they came. */
  readonly headers: readonly string[]
  /** Where the body ends. */
  readonly framing: Framing
  /** Whether the connection can be used again afterwards. */
  readonly keepsAlive: boolean
  /** How long the connection is kept while it is idle, in milliseconds, as far as that is said. */
  readonly keepsForMs: number
}

/** A number is the length in bytes. */
export type Framing = number | 'chunked' | 'until-close'

/** An answer that is not well-formed HTTP/1.1. */
export class MalformedResponseError extends Error {
  override readonly name = 'MalformedResponseError'
  readonly code = 'EMALFORMED'
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/
/** A tab is the only control character that may be in a line, and lines end with both of theirs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r[^\n]|[^\r]\n|\r$|^\n/
const LENGTH = /^\d{1,15}$/
const MAX_HEADERS = 256

/** Reads the text of a head, without the empty line at its end; one character a byte. Throws at the slightest doubt. */
export function readResponseHead(text: string): ResponseHead {
  if (CONTROL.test(text)) throw new MalformedResponseError('there is a control character')
  let end = text.indexOf('\r\n')
  const line = STATUS_LINE.exec(end < 0 ? text : text.slice(0, end))
  if (line === null) throw new MalformedResponseError('the status line is malformed')
  const headers: string[] = []
  let length: string | undefined
  let coding: string | undefined
  let connection: string | undefined
  let keepsForMs = Number.POSITIVE_INFINITY
  for (let at = end + 2; end >= 0; at = end + 2) {
    end = text.indexOf('\r\n', at)
    const stop = end < 0 ? text.length : end
    const colon = text.indexOf(':', at)
    if (colon < 0 || colon >= stop) throw new MalformedResponseError('a header has no name')
    const name = nameOf(text.slice(at, colon))
    const value = text.slice(colon + 1, stop).trim()
    if (name === 'content-length') {
      if (!LENGTH.test(value) || (length !== undefined && length !== value))
        throw new MalformedResponseError('the length is malformed')
      if (length !== undefined) continue
      length = value
    } else if (name === 'transfer-encoding') {
      if (coding !== undefined || value.toLowerCase() !== 'chunked')
        throw new MalformedResponseError('the transfer encoding is not known')
      coding = value
    } else if (name === 'connection') {
      connection = connection === undefined ? value : `${connection},${value}`
    } else if (name === 'keep-alive') {
      const seconds = TIMEOUT.exec(value)?.[1]
      if (seconds !== undefined) keepsForMs = Number(seconds) * 1000
    }
    if (headers.length >= 2 * MAX_HEADERS) throw new MalformedResponseError('there are too many headers')
    headers.push(name, value)
  }
  // Two readers could take it to end in two places.
  if (length !== undefined && coding !== undefined)
    throw new MalformedResponseError('the body has both a length and a transfer encoding')
  return {
    status: Number(line[2]),
    headers,
    framing: coding !== undefined ? 'chunked' : length !== undefined ? Number(length) : 'until-close',
    keepsAlive: line[1] === '1' && (connection === undefined || !CLOSE.test(connection)),
    keepsForMs,
  }
}

const TIMEOUT = /(?:^|,)\s*timeout=(\d{1,6})\s*(?:,|$)/i
const CLOSE = /(?:^|,)\s*close\s*(?:,|$)/i

/** Programs send few different names. */
const nameOf = remembering(
  (sent) => {
    if (!NAME.test(sent)) throw new MalformedResponseError('the name of a header is malformed')
    return sent.toLowerCase()
  },
  { most: 1000, longest: 64 },
)
