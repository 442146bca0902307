import { acceptedEncodings, type Encoding } from '#core/negotiation/encoding.ts'
import type { Question } from '../answer.ts'
import { forwardedLines } from '../function/function-request.ts'
import { hostNameOf } from './host.ts'

/** The headers of a request that matter to a file's answer. */
export interface HeaderBlock {
  /** The whole block as it came, up to and with the empty line. */
  readonly text: string
  readonly host: string
  /** The host as it was sent, with its port. */
  readonly authority: string
  readonly accepted: readonly Encoding[]
  readonly ifNoneMatch: string | undefined
  readonly userAgent: string
  /** What an answer that is made for this visitor depends on. */
  readonly question: Question
  /** The lines that a function gets. */
  readonly forwarded: string
  /** Whether there is a header of this name, which is in lower case. */
  has(name: string): boolean
}

const REQUEST_END = ' HTTP/1.1'
const QUERY = /^[\w.~!$&'()*+,;=:@/?%-]*$/

/** The target of a GET request over HTTP/1.1 whose line ends at `end`; undefined in any doubt. */
export function readRequestLine(text: string, end: number): string | undefined {
  if (!text.startsWith('GET /') || !text.endsWith(REQUEST_END, end)) return undefined
  return readTarget(text.slice(4, end - REQUEST_END.length))
}

/** The path and the query of a request; undefined in any doubt. */
export function readTarget(target: string): string | undefined {
  if (!target.startsWith('/')) return undefined
  const query = target.indexOf('?')
  return query < 0 || QUERY.test(target.slice(query + 1)) ? target : undefined
}

/** What a file's answer depends on. */
const IMPORTANT = 'accept-encoding|connection|host|if-none-match|user-agent'

/** What clients send along and a file's answer does not depend on. */
const UNIMPORTANT = [
  'accept(?:-charset|-language)?',
  'authorization',
  'baggage',
  'cache-control',
  'cdn-loop',
  'cookie',
  'dnt',
  'forwarded',
  'from',
  'if-modified-since',
  'origin',
  'pragma',
  'priority',
  'purpose',
  'referer',
  'save-data',
  'sec-[\\w-]+',
  'traceparent',
  'tracestate',
  'upgrade-insecure-requests',
  'via',
  'x-[\\w-]+',
].join('|')

const VALUE = '[\\t\\x20-\\x7e]*'

/** Headers that do not matter, then one that does, or the end. All in one expression, since that is fastest. */
const STEP = new RegExp(
  `(?:(?:${UNIMPORTANT}):${VALUE}\\r\\n){0,32}(?:(${IMPORTANT}):(${VALUE})\\r\\n|\\r\\n$)`,
  'iy',
)

/**
 * Reads headers of which each one is known to us. Undefined in any doubt: for what may change how the message
 * is framed, how long the connection lives or what the answer is, for what occurs twice, and for all else that
 * is not listed here.
 */
export function readHeaderBlock(text: string): HeaderBlock | undefined {
  const values = new Map<string, string>()
  STEP.lastIndex = 0
  for (;;) {
    const match = STEP.exec(text)
    if (match === null) return undefined
    const [, name, value] = match
    if (name === undefined || value === undefined) break
    const key = name.toLowerCase()
    if (values.has(key)) return undefined
    values.set(key, value.trim())
  }
  if ((values.get('connection') ?? 'keep-alive').toLowerCase() !== 'keep-alive') return undefined
  const host = hostNameOf(values.get('host'))
  if (host === undefined) return undefined
  return new ReadBlock(text, host, values)
}

/** What few requests need is worked out when one does. */
class ReadBlock implements HeaderBlock {
  readonly text: string
  readonly host: string
  readonly authority: string
  readonly accepted: readonly Encoding[]
  readonly ifNoneMatch: string | undefined
  readonly userAgent: string
  #question: Question | undefined
  #forwarded: string | undefined
  #names: ReadonlySet<string> | undefined

  constructor(text: string, host: string, values: ReadonlyMap<string, string>) {
    this.text = text
    this.host = host
    this.authority = values.get('host') ?? ''
    this.accepted = acceptedEncodings(values.get('accept-encoding'))
    this.ifNoneMatch = values.get('if-none-match')
    this.userAgent = values.get('user-agent') ?? ''
  }

  get question(): Question {
    this.#question ??= {
      method: 'GET',
      headers: {
        accept: valuesIn(this.text, ACCEPT),
        'accept-encoding': valuesIn(this.text, ACCEPT_ENCODING),
        authorization: valuesIn(this.text, AUTHORIZATION),
        cookie: valuesIn(this.text, COOKIE, '; '),
        'if-none-match': this.ifNoneMatch,
      },
    }
    return this.#question
  }

  has(name: string): boolean {
    this.#names ??= new Set(Array.from(this.text.matchAll(NAMES), ([, sent = '']) => sent.toLowerCase()))
    return this.#names.has(name)
  }

  get forwarded(): string {
    this.#forwarded ??= forwardedLines(this.text)
    return this.#forwarded
  }
}

const NAMES = /^([^:\r\n]+):/gm
const ACCEPT = /^accept:(.*)\r$/gim
const ACCEPT_ENCODING = /^accept-encoding:(.*)\r$/gim
const AUTHORIZATION = /^authorization:(.*)\r$/gim
const COOKIE = /^cookie:(.*)\r$/gim

/** The values of a header that may occur several times. */
function valuesIn(text: string, lines: RegExp, between = ', '): string | undefined {
  const values = [...text.matchAll(lines)].map(([, value = '']) => value.trim())
  return values.length === 0 ? undefined : values.join(between)
}
