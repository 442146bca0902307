import type { Client } from '#client/client.ts'
import { listVariables, updateVariable } from '#contract/api/env-variable.ts'
import type { Variable } from './variable.ts'

/** Where new values are to be set. */
interface Place {
  readonly keys: readonly string[]
  readonly target: readonly string[]
  readonly branch: string | undefined
}

/** The variables that stand where new ones are to be set. */
export const inTheWay = (envs: readonly Variable[], { keys, target, branch }: Place): readonly Variable[] =>
  envs.filter(
    (one) =>
      keys.includes(one.key) &&
      one.gitBranch === branch &&
      one.customEnvironmentId === undefined &&
      one.target.some((name) => target.includes(name)),
  )

/**
 * Takes these targets from variables that are set in others as well, where their values stay: to put a value in the
 * place of one of those would remove it from the others.
 */
export async function makeRoom(api: Client, idOrName: string, place: Place): Promise<void> {
  const { envs } = await api.call(listVariables, { params: { idOrName } })
  for (const { id, target } of inTheWay(envs, place)) {
    const left = target.filter((name) => !place.target.includes(name))
    if (left.length > 0) await api.call(updateVariable, { params: { idOrName, id }, body: { target: left } })
  }
}
