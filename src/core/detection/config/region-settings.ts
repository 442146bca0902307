import { ORIGINS } from '#contract/origins.ts'
import { regionsNamed } from '../../deployment/create/regions.ts'
import { invalidConfig } from './json.ts'

interface RegionSettings {
  /** Undefined where the file names none that is known. */
  readonly regions: readonly string[] | undefined
  readonly warnings: readonly string[]
}

const MOST = 50
const MOST_CHARACTERS = 20

/** Where functions are to run. Files written for other installations may name regions that are not known here. */
export function readRegionSettings(value: unknown, file: string): RegionSettings {
  if (value === undefined || value === null) return { regions: undefined, warnings: [] }
  if (
    !Array.isArray(value) ||
    value.length > MOST ||
    !value.every((name): name is string => typeof name === 'string')
  )
    throw invalidConfig(`${file}: \`regions\` should be a list of at most ${MOST} names.`)
  const regions = [...new Set(value.flatMap(regionsNamed))]
  const unknown = value.filter((name) => regionsNamed(name).length === 0)
  return {
    regions: regions.length > 0 ? regions : undefined,
    warnings: unknown.map(
      (name) =>
        `Warning: ${file}: \`regions\` has ${JSON.stringify(name.slice(0, MOST_CHARACTERS))}, which is unknown and ignored; use ${ORIGINS.join(', ')} or all.`,
    ),
  }
}
