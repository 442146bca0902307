import { qualityOf } from '#core/negotiation/quality.ts'

interface Preference {
  readonly weight: number
  /** 2 for a type, 1 for a family of types, 0 for anything. */
  readonly precision: number
}

const NONE: Preference = { weight: 0, precision: 0 }

/**
 * The one of `types` that an Accept header likes best. Of equals the one that is named outright wins, then the
 * earlier one; the last one answers those who do not care, or accept none of them.
 */
export function preferredType<const Type extends string>(
  accept: string | undefined,
  types: readonly [...Type[], Type],
): Type {
  const fallback = types.at(-1) as Type
  if (accept === undefined) return fallback
  let best = fallback
  let liking = NONE
  for (const type of types) {
    const { weight, precision } = preferenceFor(type, accept)
    if (weight > liking.weight || (weight === liking.weight && precision > liking.precision)) {
      best = type
      liking = { weight, precision }
    }
  }
  return liking.precision === 0 ? fallback : best
}

/** The most precise mention of a type decides. */
function preferenceFor(type: string, accept: string): Preference {
  let found: Preference | undefined
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';')
    const precision = precisionOf(range.trim().toLowerCase(), type)
    if (precision < 0 || (found && precision <= found.precision)) continue
    found = { weight: qualityOf(parameters), precision }
  }
  return found === undefined || found.weight === 0 ? NONE : found
}

function precisionOf(range: string, type: string): number {
  if (range === type) return 2
  if (range.endsWith('/*') && type.startsWith(range.slice(0, -1))) return 1
  return range === '*/*' || range === '*' ? 0 : -1
}
