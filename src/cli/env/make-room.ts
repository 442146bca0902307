import type { Client } from '#client/client.ts'
import { listVariables, placesOf, updateVariable } from '#contract/api/env-variable.ts'
import { asWhere } from './places.ts'
import type { Variable } from './variable.ts'

/** Where new values are to be set. */
interface NewValues {
  readonly keys: readonly string[]
  /** Targets, and ids of environments. */
  readonly places: readonly string[]
  readonly branch: string | undefined
}

/** The variables that stand where new ones are to be set. */
export const inTheWay = (
  envs: readonly Variable[],
  { keys, places, branch }: NewValues,
): readonly Variable[] =>
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
