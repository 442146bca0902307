import type { EnvType } from '#contract/api/env-variable.ts'
import { isEnvironmentId } from '../custom-environment/custom-environment.ts'

/** A variable that a project gives to the deployments made after it was set. */
export interface EnvVariable {
  readonly id: string
  readonly projectId: string
  readonly key: string
  readonly type: EnvType
  /** As it is stored: sealed, the id of a secret, the name of a system variable, or plain. */
  readonly value: string
  /** How long the value is. */
  readonly size: number
  /** `production`, `preview`, `development`, or ids of custom environments. */
  readonly target: readonly string[]
  readonly gitBranch: string | null
  readonly customEnvironmentId: string | null
  readonly comment: string | null
  /** The installation that owns it, where it was made by one. */
  readonly configurationId: string | null
  readonly createdAt: number
  readonly createdBy: string | null
  readonly updatedAt: number
  readonly updatedBy: string | null
}

/** What the value is sealed for: put into another variable, it does not open. */
export const sealedFor = (id: string): string => `env-variable ${id}`

export const isSealed = (type: EnvType): boolean => type === 'encrypted' || type === 'sensitive'

type VariableTargets = Pick<EnvVariable, 'target' | 'customEnvironmentId'>

/** Where it is set. One of a single custom environment is set there, whatever its targets say. */
export const placesOf = ({ target, customEnvironmentId }: VariableTargets): readonly string[] =>
  customEnvironmentId === null
    ? target
    : [...new Set([customEnvironmentId, ...target.filter(isEnvironmentId)])]

/** The custom environments among those. */
export const environmentsOf = (variable: VariableTargets): readonly string[] =>
  placesOf(variable).filter(isEnvironmentId)

type VariableIdentity = VariableTargets & Pick<EnvVariable, 'key' | 'gitBranch'>

/** Whether both would be set in the same place. */
export const overlap = (a: VariableIdentity, b: VariableIdentity): boolean =>
  a.key === b.key && a.gitBranch === b.gitBranch && placesOf(a).some((place) => placesOf(b).includes(place))
