import type { RouteMatches } from './route-outcome.ts'

/** As functions of Next.js read them in the header `x-now-route-matches`: `1=hello&nxtPslug=hello`. */
export function encodeRouteMatches({ groups, names }: RouteMatches): string {
  const pairs: string[] = []
  for (const [index, value] of groups.entries())
    if (value !== undefined) pairs.push(`${index + 1}=${encode(value)}`)
  for (const [name, group] of names) {
    const value = groups[group - 1]
    if (value !== undefined) pairs.push(`${encode(name)}=${encode(value)}`)
  }
  return pairs.join('&')
}

const encode = (text: string): string => encodeURIComponent(text.toWellFormed())
