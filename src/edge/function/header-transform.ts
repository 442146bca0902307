import type { HeaderTransform, RouteOutcome } from '#core/routing/match/route-outcome.ts'
import type { Answer, HeaderList } from '../answer.ts'

type Served = Pick<Extract<RouteOutcome<unknown>, { kind: 'serve' }>, 'transforms'>

/** What a visitor has sent under a name in lower case, of that which goes on. */
type SentHeader = (name: string) => string | undefined

/** What the routes add to, and take from, the headers of a request that goes on to a function or elsewhere. */
export function extraHeaders(
  { transforms }: Served,
  overrides: ReadonlyMap<string, string | undefined> | undefined,
  sent: SentHeader,
): ReadonlyMap<string, string | undefined> | undefined {
  if (transforms === undefined) return overrides
  const extra = new Map(overrides)
  for (const { of, op, name, value } of transforms) {
    if (of !== 'request' || !isFree(name)) continue
    const before = op !== 'append' ? undefined : extra.has(name) ? extra.get(name) : sent(name)
    if (op === 'delete') extra.set(name, undefined)
    else extra.set(name, before === undefined ? value : `${before}${name === 'cookie' ? ';' : ','} ${value}`)
  }
  return extra
}

/** How messages are framed and where they come from is not for routes to say. */
const FIXED = /^(?:connection|content-length|host|transfer-encoding|upgrade|x-(?:aloft|platform)-.*)$/
const isFree = (name: string): boolean => !FIXED.test(name)

/** An answer with what the routes want of it done to its headers. */
export const transformAnswer = <A extends Answer>(answer: A, { transforms }: Served): A =>
  transforms === undefined ? answer : { ...answer, headers: transformResponse(answer.headers, transforms) }

/** Names and values in turn, with what the routes want of a response done to them. */
export function transformResponse(headers: HeaderList, transforms: readonly HeaderTransform[]): HeaderList {
  let changed = [...headers]
  for (const { of, op, name, value } of transforms) {
    if (of !== 'response' || !isFree(name)) continue
    if (op !== 'append') changed = changed.filter((_, index) => changed[index - (index % 2)] !== name)
    if (op !== 'delete') changed.push(name, value)
  }
  return changed
}
