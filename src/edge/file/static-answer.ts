import { acceptedEncodings, type Encoding } from '#core/negotiation/encoding.ts'
import type { SiteFile } from '#core/site/site.ts'
import { andThen } from '../and-then.ts'
import { type Answer, headerOf, type Question } from '../answer.ts'
import type { Refusal } from '../error/refusal.ts'
import { SMALL } from '../fast/unsent.ts'
import type { ContentStore } from './content-store.ts'
import { satisfiesIfMatch, satisfiesIfRange, tagInHand } from './entity-tag.ts'
import type { FileAnswer, Representation } from './file-answer.ts'
import { LostContentError } from './lost-content.ts'
import { type Opener, partialAnswer } from './partial-answer.ts'
import { readRange } from './range.ts'
import { prepareRepresentation, represent } from './representation.ts'

type Result = Answer | Refusal

const IDENTITY = ['identity'] as const

/** The answer with a file's content, or with as much of it as the client asks for. */
export function staticAnswer(
  answer: FileAnswer,
  question: Question,
  store: ContentStore,
): Result | Promise<Result> {
  const { method } = question
  if (method !== 'GET' && method !== 'HEAD')
    return { code: 'INVALID_REQUEST_METHOD', headers: ['allow', 'GET, HEAD'] }
  const accepted = acceptedEncodings(headerOf(question, 'accept-encoding'))
  const early = answer.status === 200 ? checkConditions(answer, question, accepted) : undefined
  if (early !== undefined) return early
  const range = answer.status === 200 && method === 'GET' ? headerOf(question, 'range') : undefined
  if (range !== undefined) {
    const partial = rangeAnswer(answer, question, range, store)
    if (partial !== undefined) return partial
  }
  return andThen(prepareFor(question, answer, accepted, store), (ready) =>
    wholeAnswer(answer, ready, question, store),
  )
}

/** The form of a file that this visitor gets. */
const prepareFor = (
  { isHolding }: Question,
  answer: FileAnswer,
  accepted: readonly Encoding[],
  store: ContentStore,
): ReturnType<typeof prepareRepresentation> =>
  isHolding && answer.file.size > SMALL
    ? represent(answer, undefined)
    : prepareRepresentation(answer, accepted, store)

/** How this visitor is sent what is not in memory. */
const openerOf =
  ({ isHolding, holdFile }: Question, file: SiteFile, store: ContentStore): Opener =>
  (span) => {
    const { start, end } = span ?? { start: 0, end: file.size }
    // A little goes out at once to whoever it is.
    const isSlow = isHolding || (end - start > SMALL && holdFile?.() === false)
    return isSlow ? store.openSlowly(file, span) : store.open(file.sha256, span)
  }

/** The headers of an answer that tells the client to use the copy that it has. */
export const notModifiedHeaders = ({ headers }: FileAnswer, tag: string): readonly string[] => [
  ...headers,
  'etag',
  tag,
]

function checkConditions(
  answer: FileAnswer,
  question: Question,
  accepted: ReturnType<typeof acceptedEncodings>,
): Result | undefined {
  const { sha256 } = answer.file
  const ifMatch = headerOf(question, 'if-match')
  if (ifMatch !== undefined && !satisfiesIfMatch(ifMatch, sha256, accepted))
    return { code: 'PRECONDITION_FAILED', headers: [] }
  const ifNoneMatch = headerOf(question, 'if-none-match')
  const tag = ifNoneMatch === undefined ? undefined : tagInHand(ifNoneMatch, sha256, accepted)
  if (tag === undefined) return undefined
  return {
    status: 304,
    headers: notModifiedHeaders(answer, tag),
    body: undefined,
    source: 'static',
    entrypoint: answer.foundAt,
  }
}

/**
 * Parts are parts of the content as it is, whatever compressed forms the client would take of the whole: whoever
 * asks for parts wants to seek in it. Undefined when the whole is to be sent.
 */
function rangeAnswer(
  answer: FileAnswer,
  question: Question,
  range: string,
  store: ContentStore,
): Result | Promise<Result> | undefined {
  const { file } = answer
  const spans = readRange(range, file.size)
  if (spans === 'ignored') return undefined
  return andThen(prepareFor(question, answer, IDENTITY, store), (ready) => {
    if (ready === undefined) throw new LostContentError(file)
    const ifRange = headerOf(question, 'if-range')
    if (ifRange !== undefined && !satisfiesIfRange(ifRange, ready.tag))
      return staticAnswer(answer, withoutRange(question), store)
    if (spans === 'unsatisfiable')
      return { code: 'RANGE_NOT_SATISFIABLE', headers: ['content-range', `bytes */${file.size}`] }
    return partialAnswer(answer, ready, spans, openerOf(question, file, store))
  })
}

const withoutRange = (question: Question): Question => ({
  ...question,
  headers: { ...question.headers, range: undefined },
})

function wholeAnswer(
  answer: FileAnswer,
  representation: Representation | undefined,
  question: Question,
  store: ContentStore,
): Result | Promise<Result> {
  const { file, status, foundAt } = answer
  if (representation === undefined) throw new LostContentError(file)
  const withBody = (body: Answer['body']): Answer => ({
    status,
    headers: representation.headers,
    body,
    source: 'static',
    entrypoint: foundAt,
  })
  if (question.method === 'HEAD') return withBody(undefined)
  const { content } = representation
  const body = content === undefined ? openerOf(question, file, store)() : content.bytes
  return andThen<Answer['body'], Result>(body, (opened) => {
    if (opened === undefined) throw new LostContentError(file)
    return withBody(opened)
  })
}
