import { AloftError } from '#contract/errors.ts'
import { ORIGINS } from '#contract/origins.ts'

/** `all`, a region, or a region without its number. Unknown ones are refused. */
export function readRegions(given: readonly string[] | undefined, here: string): string[] {
  if (given === undefined || given.length === 0) return [here]
  const found = given.flatMap((name) => {
    if (name === 'all') return ORIGINS
    const region = ORIGINS.find((origin) => origin === name || origin.replace(/\d$/, '') === name)
    if (region === undefined)
      throw new AloftError(
        'bad_request',
        `Invalid request: \`regions\` has ${JSON.stringify(name)}; there are ${ORIGINS.join(', ')} and all.`,
      )
    return [region]
  })
  return [...new Set(found)]
}
