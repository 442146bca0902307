import type { HeaderTransform, RouteOutcome } from '#core/routing/match/route-outcome.ts'

type Served = Pick<Extract<RouteOutcome<unknown>, { kind: 'serve' }>, 'transforms'>

/** What the routes add to, and take from, the headers of a request to a function. */
export function extraHeaders(
  { transforms }: Served,
  overrides: ReadonlyMap<string, string | undefined> | undefined,
): ReadonlyMap<string, string | undefined> | undefined {
  if (transforms === undefined) return overrides
  const extra = new Map(overrides)
  for (const { of, op, name, value } of transforms) {
    if (of !== 'request' || !isFree(name)) continue
    if (op === 'delete') extra.set(name, undefined)
    else if (op === 'append' && extra.get(name) !== undefined) extra.set(name, `${extra.get(name)}, ${value}`)
    else extra.set(name, value)
  }
  return extra
}

/** How messages are framed and where they come from is not for routes to say. */
const FIXED = /^(?:connection|content-length|host|transfer-encoding|upgrade|x-(?:aloft|platform)-.*)$/
const isFree = (name: string): boolean => !FIXED.test(name)

/** Names and values in turn, with what the routes want of a response done to them. */
export function transformResponse(
  headers: readonly string[],
  transforms: readonly HeaderTransform[],
): string[] {
  let changed = [...headers]
  for (const { of, op, name, value } of transforms) {
    if (of !== 'response' || !isFree(name)) continue
    if (op !== 'append') changed = changed.filter((_, index) => changed[index - (index % 2)] !== name)
    if (op !== 'delete') changed.push(name, value)
  }
  return changed
}
