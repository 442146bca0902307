import type { Static } from 'typebox'
import {
  ENV_TARGETS,
  type getVariable,
  listVariables,
  placesOf,
  updateVariable,
} from '#contract/api/env-variable.ts'
import type { Client } from './client.ts'

type Variable = Static<typeof getVariable.reply>
type VariableTargets = Pick<Variable, 'target' | 'customEnvironmentIds'>

/** Where new values are to be set. */
interface NewValues {
  readonly keys: readonly string[]
  /** Targets, and ids of environments. */
  readonly places: readonly string[]
  readonly branch: string | undefined
}

export const isTarget = (place: string): boolean => (ENV_TARGETS as readonly string[]).includes(place)

/** Targets and ids of environments apart, as the API takes them. What had environments before is told when none is left. */
export function asWhere(places: readonly string[], before: VariableTargets = { target: [] }) {
  const environments = places.filter((place) => !isTarget(place))
  return {
    target: places.filter(isTarget),
    ...(environments.length > 0 || before.customEnvironmentIds !== undefined
      ? { customEnvironmentIds: environments }
      : {}),
  }
}

/** The variables that stand where new ones are to be set. */
export const inTheWay = <One extends VariableTargets & Pick<Variable, 'key' | 'gitBranch'>>(
  envs: readonly One[],
  { keys, places, branch }: NewValues,
): readonly One[] =>
  envs.filter(
    (one) =>
      keys.includes(one.key) &&
      one.gitBranch === branch &&
      placesOf(one).some((name) => places.includes(name)),
  )

/**
 * Takes these targets from variables that are set in others as well, where their values stay: to put a value in the
 * place of one of those would remove it from the others.
 */
export async function makeRoom(api: Client, idOrName: string, place: NewValues): Promise<void> {
  const { envs } = await api.call(listVariables, { params: { idOrName } })
  for (const variable of inTheWay(envs, place)) {
    const left = placesOf(variable).filter((name) => !place.places.includes(name))
    const params = { idOrName, id: variable.id }
    if (left.length > 0) await api.call(updateVariable, { params, body: asWhere(left, variable) })
  }
}
