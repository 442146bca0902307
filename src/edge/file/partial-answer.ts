import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { SiteFile } from '#core/site/site.ts'
import { andThen } from '../and-then.ts'
import type { Answer } from '../answer.ts'
import { SMALL } from '../fast/unsent.ts'
import type { Content } from './content-store.ts'
import type { FileAnswer, Representation } from './file-answer.ts'
import { LostContentError } from './lost-content.ts'
import { contentRange, type Span } from './range.ts'

/** Opens a part of a stored content, or the whole; undefined if it is lost. */
export type Opener = (span?: Span) => Promise<Readable | undefined>

/** The answer with parts of a content: one as it is, several as the parts of one message. */
export function partialAnswer(
  answer: FileAnswer,
  { tag, content }: Representation,
  spans: readonly Span[],
  open: Opener,
): Answer | Promise<Answer> {
  const { file, contentType, headers, foundAt } = answer
  const partial = (type: string, range: readonly string[], length: number, body: Answer['body']): Answer => ({
    status: 206,
    headers: [
      ...['content-type', type],
      ...headers,
      ...range,
      ...['etag', tag, 'accept-ranges', 'bytes'],
      ...['content-length', String(length)],
    ],
    body,
    source: 'static',
    entrypoint: foundAt,
  })
  const [only] = spans
  if (only === undefined || spans.length > 1) {
    const multipart = multipartOf(spans, contentType, file.size)
    const readPart = (span: Span) => copiesOf(span, file, content, open)
    const body = Readable.from(joinParts(multipart, spans, readPart), { objectMode: false })
    return partial(multipart.contentType, [], multipart.length, body)
  }
  const range = ['content-range', contentRange(only, file.size)]
  const bytes = content?.bytes?.subarray(only.start, only.end)
  // A small part would hold all of the content in memory until it is taken.
  const part = bytes !== undefined && bytes.length <= SMALL ? Buffer.from(bytes) : bytes
  return andThen<Answer['body'], Answer>(part ?? open(only), (body) => {
    if (body === undefined) throw new LostContentError(file)
    return partial(contentType, range, only.end - only.start, body)
  })
}

interface Multipart {
  readonly contentType: string
  readonly length: number
  /** What goes before each part. */
  readonly heads: readonly Buffer[]
  readonly end: Buffer
}

function multipartOf(spans: readonly Span[], contentType: string, size: number): Multipart {
  const boundary = randomBytes(16).toString('hex')
  const heads = spans.map((span, index) =>
    Buffer.from(
      `${index === 0 ? '' : '\r\n'}--${boundary}\r\ncontent-type: ${contentType}\r\ncontent-range: ${contentRange(span, size)}\r\n\r\n`,
      'latin1',
    ),
  )
  const end = Buffer.from(`\r\n--${boundary}--\r\n`)
  const bodies = spans.reduce((sum, span) => sum + span.end - span.start, 0)
  const frames = heads.reduce((sum, head) => sum + head.length, end.length)
  return {
    contentType: `multipart/byteranges; boundary=${boundary}`,
    length: bodies + frames,
    heads,
    end,
  }
}

async function* joinParts(
  { heads, end }: Multipart,
  spans: readonly Span[],
  read: (span: Span) => AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  for (const [index, span] of spans.entries()) {
    yield heads[index] as Buffer
    yield* read(span)
  }
  yield end
}

/** Copies of a content while it is in memory, which it need not stay for a visitor who is slow, and the rest from where it is stored. */
async function* copiesOf(
  { start, end }: Span,
  file: SiteFile,
  content: Content | undefined,
  open: Opener,
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += SMALL) {
    const bytes = content?.bytes?.subarray(at, Math.min(at + SMALL, end))
    if (bytes === undefined) {
      const rest = await open({ start: at, end })
      // The head of the answer is out: all that is left is to break the connection off.
      if (rest === undefined) throw new LostContentError(file)
      yield* rest
      return
    }
    yield Buffer.from(bytes)
  }
}
