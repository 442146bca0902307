import { PackFault } from './fault.ts'
import { jsonOf, textOf } from './read-json.ts'

interface Wildcard {
  readonly domain: string
  /** What `$wildcard` stands for there. */
  readonly value: string
}

const WILDCARD = /\$wildcard(?!\w)/g

/**
 * The routes, each whose `dest` has `$wildcard` once for every domain that config.json gives it a value for, and once for all
 * others, where it stands for nothing.
 */
export function withWildcards(routes: readonly unknown[], given: unknown): readonly unknown[] {
  if (given === undefined || given === null) return routes
  const wildcards = readWildcards(given)
  if (wildcards.length === 0) return routes
  const domains = wildcards.map(({ domain }) => domain)
  return routes.flatMap((route) => {
    const { dest: given, has, missing, ...rest } = jsonOf(route)
    const dest = textOf(given)
    if (dest === undefined || dest.search(WILDCARD) < 0) return [route]
    const at = (value: string) => ({ ...rest, dest: dest.replace(WILDCARD, () => value) })
    const others = { type: 'host', value: { inc: domains } }
    return [
      ...wildcards.map(({ domain, value }) => {
        const host = { type: 'host', value: { eq: domain } }
        return { ...at(value), has: [...listOf(has), host], ...(missing !== undefined && { missing }) }
      }),
      { ...at(''), ...(has !== undefined && { has }), missing: [...listOf(missing), others] },
    ]
  })
}

function readWildcards(given: unknown): readonly Wildcard[] {
  if (!Array.isArray(given))
    throw new PackFault('invalid_output', 'The wildcard of config.json is not a list')
  return given.map((one: unknown) => {
    const { domain, value } = jsonOf(one)
    if (typeof domain !== 'string' || typeof value !== 'string' || value.includes('$'))
      throw new PackFault(
        'invalid_output',
        'Every wildcard of config.json must have a domain, and a value without a dollar sign',
      )
    return { domain: domain.toLowerCase(), value }
  })
}

const listOf = (value: unknown): readonly unknown[] => (value === undefined ? [] : [value].flat())
