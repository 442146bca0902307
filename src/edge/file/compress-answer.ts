import { pipeline, type Readable } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import { SourceShares } from '#core/access/source-shares.ts'
import { acceptedEncodings, type Encoding } from '#core/negotiation/encoding.ts'
import { isCompressible } from '#core/site/content-type.ts'
import { type Answer, headerOf, type Question, textOf, valueIn } from '../answer.ts'
import { compress, isTooSmall } from './compress.ts'

/** Smaller ones fit into a packet or two anyway. */
const MIN_BYTES = 1024
const NOT_WANTED = /\bno-transform\b/i
const EVENTS = /^text\/event-stream/i
/** How far back it looks for what is the same. Each answer under way has that in memory, by default more than 8 MB of it. */
const STREAM_WINDOW_BITS = 18
/** Answers that are compressed as they come: further ones go out as they are, since each takes memory until its visitor has it. */
const streams = new SourceShares({ all: 500, source: 250, least: 4 })

/** The answer of a function, compressed if that helps and nothing speaks against it. */
export function compressAnswer(answer: Answer, question: Question): Answer | Promise<Answer> {
  const coding = codingFor(answer, question)
  if (coding === undefined) return answer
  const { body } = answer
  if (!Buffer.isBuffer(body)) {
    const giveBack = streams.take(question.from ?? '', 1)
    if (giveBack === undefined) return answer
    const compressed = compressStream(body as Readable, coding)
    compressed.once('close', giveBack)
    return { ...answer, headers: codedHeaders(answer, coding), body: compressed }
  }
  return compress(body, coding, 'quick').then((bytes) =>
    bytes.length >= body.length
      ? answer
      : {
          ...answer,
          headers: [...codedHeaders(answer, coding), 'content-length', String(bytes.length)],
          body: bytes,
        },
  )
}

type StreamCoding = 'br' | 'gzip'

/** By how it is compressed for those who ask like this: however they word it, there are few ways. */
export const formNameOf = (question: Question): string =>
  acceptedEncodings(headerOf(question, 'accept-encoding')).find(isStreamCoding) ?? 'identity'

function codingFor({ status, headers, body }: Answer, question: Question): StreamCoding | undefined {
  const accept = headerOf(question, 'accept-encoding')
  if (accept === undefined || body === undefined || status < 200 || status === 206) return undefined
  if (Buffer.isBuffer(body) && (isTooSmall(body.length) || body.length < MIN_BYTES)) return undefined
  const coding = acceptedEncodings(accept).find(isStreamCoding)
  if (coding === undefined) return undefined
  const type = valueIn(headers, 'content-type') ?? ''
  if (!isCompressible(type) || EVENTS.test(type)) return undefined
  if (valueIn(headers, 'content-encoding') !== undefined) return undefined
  return NOT_WANTED.test(valueIn(headers, 'cache-control') ?? '') ? undefined : coding
}

/** Identity before any of them means that the client would rather have it as it is. */
const isStreamCoding = (encoding: Encoding): encoding is StreamCoding =>
  encoding === 'br' || encoding === 'gzip'

/** Without the length, which is another one now, and with a tag that says no more than it can. */
function codedHeaders({ headers }: Answer, coding: StreamCoding): Answer['headers'] {
  const coded: (string | readonly string[])[] = []
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string | readonly string[]]
    if (name === 'content-length' || name === 'accept-ranges' || name === 'vary') continue
    coded.push(name, name !== 'etag' ? value : typeof value === 'string' ? weak(value) : value.map(weak))
  }
  const vary = textOf(headers, 'vary')
  coded.push('content-encoding', coding, 'vary', vary === undefined ? 'accept-encoding' : withEncoding(vary))
  return coded
}

const weak = (tag: string): string => (tag.startsWith('W/') ? tag : `W/${tag}`)

const withEncoding = (vary: string): string => (VARIES_ALREADY.test(vary) ? vary : `${vary}, accept-encoding`)

const VARIES_ALREADY = /(?:^|,)\s*(?:accept-encoding|\*)\s*(?:,|$)/i

/** What was written together comes out together, so that nobody waits for what is there already. */
function compressStream(body: Readable, coding: StreamCoding): Readable {
  const coder =
    coding === 'br'
      ? createBrotliCompress({
          flush: constants.BROTLI_OPERATION_FLUSH,
          params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: STREAM_WINDOW_BITS },
        })
      : createGzip({ flush: constants.Z_SYNC_FLUSH, level: 5 })
  // Whoever reads what comes out is told of errors there.
  pipeline(body, coder, () => {})
  return coder
}
