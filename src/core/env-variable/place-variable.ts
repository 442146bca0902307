import { AloftError } from '#contract/errors.ts'
import { type EnvVariable, overlap, placesOf } from './env-variable.ts'

/** What has to be written so that a variable is in its place. */
interface Placement {
  readonly saved: EnvVariable
  /** Others that lost some of their targets to it, or all of them. */
  readonly cut: readonly EnvVariable[]
  readonly deleted: readonly EnvVariable[]
}

/** Which of these variables stands where another one would be put. */
export const inTheWay = (
  present: readonly EnvVariable[],
  variable: Pick<EnvVariable, 'id' | 'key' | 'target' | 'gitBranch' | 'customEnvironmentId'>,
): readonly EnvVariable[] => present.filter((other) => other.id !== variable.id && overlap(other, variable))

/** Puts a variable in the place of the oldest that is in its way; all others give way. */
export function placeVariable(present: readonly EnvVariable[], variable: EnvVariable): Placement {
  const [oldest, ...others] = inTheWay(present, variable).toReversed()
  if (!oldest) return { saved: variable, cut: [], deleted: [] }
  const { id, createdAt, createdBy, configurationId } = oldest
  const taken = placesOf(variable)
  const left = others.map((other) => ({
    ...other,
    // One that is for a single environment is in the way as a whole.
    target: other.customEnvironmentId === null ? other.target.filter((place) => !taken.includes(place)) : [],
  }))
  return {
    saved: { ...variable, id, createdAt, createdBy, configurationId },
    cut: left.filter(({ target }) => target.length > 0),
    deleted: left.filter(({ target }) => target.length === 0),
  }
}

export const alreadyExists = ({ id, key, target, gitBranch }: EnvVariable) =>
  new AloftError('env_already_exists', `The project already has a variable ${key} for this target.`, {
    envVarId: id,
    envVarKey: key,
    target,
    ...(gitBranch === null ? {} : { gitBranch }),
  })
