import { invalidRequest } from '#contract/errors.ts'
import { ORIGINS, type Origin } from '#contract/origins.ts'

/** `all`, a region, or a region without its number; none for an unknown one. */
export const regionsNamed = (name: string): readonly Origin[] =>
  name === 'all' ? ORIGINS : ORIGINS.filter((origin) => origin === name || origin.replace(/\d$/, '') === name)

/** Unknown ones are refused. Undefined where none are named. */
export function readRegions(given: readonly string[] | undefined): readonly Origin[] | undefined {
  if (given === undefined || given.length === 0) return undefined
  const found = given.flatMap((name) => {
    const named = regionsNamed(name)
    if (named.length === 0)
      throw invalidRequest(
        `\`regions\` has the unknown region ${JSON.stringify(name)}. Available: ${ORIGINS.join(', ')}, all`,
      )
    return named
  })
  return [...new Set(found)]
}
