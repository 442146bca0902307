import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { SiteFile } from '#core/site/site.ts'
import { andThen } from '../and-then.ts'
import type { Answer } from '../answer.ts'
import type { ContentStore } from './content-store.ts'
import type { FileAnswer, Representation } from './file-answer.ts'
import { LostContentError } from './lost-content.ts'
import { contentRange, type Span } from './range.ts'

/** The answer with parts of a content: one as it is, several as the parts of one message. */
export function partialAnswer(
  answer: FileAnswer,
  { tag, content }: Representation,
  spans: readonly Span[],
  store: ContentStore,
): Answer | Promise<Answer> {
  const { file, contentType, headers, foundAt } = answer
  const read = (span: Span) => content?.bytes?.subarray(span.start, span.end) ?? store.open(file.sha256, span)
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
    const body = Readable.from(joinParts(multipart, file, spans, read), { objectMode: false })
    return partial(multipart.contentType, [], multipart.length, body)
  }
  const range = ['content-range', contentRange(only, file.size)]
  return andThen<Part, Answer>(read(only), (body) => {
    if (body === undefined) throw new LostContentError(file)
    return partial(contentType, range, only.end - only.start, body)
  })
}

type Part = Buffer | Readable | undefined

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
  file: SiteFile,
  spans: readonly Span[],
  read: (span: Span) => Part | Promise<Part>,
): AsyncGenerator<Buffer> {
  for (const [index, span] of spans.entries()) {
    const part = await read(span)
    // The head of the answer is out: all that is left is to break the connection off.
    if (part === undefined) throw new LostContentError(file)
    yield heads[index] as Buffer
    if (Buffer.isBuffer(part)) yield part
    else yield* part
  }
  yield end
}
