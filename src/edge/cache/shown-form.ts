import { isInHand } from '#core/negotiation/entity-tag.ts'
import { type Answer, type HeaderList, headerOf, type Question, textOf } from '../answer.ts'

/** Where an answer is from, as `x-vercel-cache` has it. */
export type CacheStatus = 'HIT' | 'STALE' | 'MISS' | 'PRERENDER' | 'REVALIDATED' | 'BYPASS'

export const cacheHeader = (status: CacheStatus): [string, string] => ['x-vercel-cache', status]

export const marked = (answer: Answer, status: CacheStatus): Answer => ({
  ...answer,
  headers: [...answer.headers, ...cacheHeader(status)],
})

/** What a visitor gets of one form of a kept answer: nothing of its body where they have that already. */
export function shownForm(form: Answer, status: CacheStatus, age: number, asked: Question): Answer {
  const more = [...cacheHeader(status), 'age', String(age)]
  const [sent, tag] = [headerOf(asked, 'if-none-match'), textOf(form.headers, 'etag')]
  if (form.status === 200 && sent !== undefined && tag !== undefined && isInHand(sent, tag))
    return { ...form, status: 304, headers: [...withoutBody(form.headers), ...more], body: undefined }
  return { ...form, headers: [...form.headers, ...more] }
}

/** Headers about how an answer came, which are not kept with it. */
export const FRAMING: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
])

const withoutBody = (headers: HeaderList): HeaderList =>
  headers.filter(
    (_, index) => !/^content-(?:length|type|encoding)$/.test(headers[index - (index % 2)] as string),
  )
