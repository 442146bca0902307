import { headerOf, type Question } from '../answer.ts'

/** Opens a protected site to whoever has one of the project's secrets; a header, or a parameter of the query. */
export const BYPASS = ['x-platform-protection-bypass', 'x-vercel-protection-bypass'] as const
/** Asks for a cookie that does so from then on. */
export const SET_COOKIE = ['x-platform-set-bypass-cookie', 'x-vercel-set-bypass-cookie'] as const

const OWN: ReadonlySet<string> = new Set([...BYPASS, ...SET_COOKIE])

/** By any of its names, in a header or in the query. */
export function ownValue(question: Question, url: string, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headerOf(question, name) ?? parameterOf(url, name)
    if (value !== undefined) return value
  }
  return undefined
}

/** The value of a parameter in the query of a URL. */
export function parameterOf(url: string, name: string): string | undefined {
  const parameter = queryOf(url)
    ?.split('&')
    .find((one) => nameOf(one) === name)
  if (parameter === undefined) return undefined
  try {
    return decodeURIComponent(parameter.slice(name.length + 1))
  } catch {
    return undefined
  }
}

/** A URL without the parameters that are between the visitor and us, all else as it was sent. */
export function withoutOwnParameters(url: string): string {
  const query = queryOf(url)
  if (query === undefined || !/x-(?:platform|vercel)-/.test(query)) return url
  const kept = query.split('&').filter((one) => !OWN.has(nameOf(one)))
  const path = url.slice(0, url.length - query.length - 1)
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`
}

function queryOf(url: string): string | undefined {
  const at = url.indexOf('?')
  return at < 0 ? undefined : url.slice(at + 1)
}

/** As it was sent: a name in any other spelling is not ours. */
const nameOf = (parameter: string): string => parameter.split('=', 1)[0] as string
