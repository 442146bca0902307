import type { Client } from '#client/client.ts'
import { isTarget } from '#client/variable-places.ts'
import { listEnvironments } from '#contract/api/custom-environment.ts'
import { ENV_TARGETS } from '#contract/api/env-variable.ts'
import { CliError, EXIT } from '../exit.ts'
import type { Variable } from './variable.ts'

type VariableTargets = Pick<Variable, 'target' | 'customEnvironmentIds'>

/** Names of a project's own environments by their ids, asked for only where there is one to name. */
export async function environmentNames(
  api: Client,
  idOrName: string,
  variables: readonly VariableTargets[],
): Promise<ReadonlyMap<string, string>> {
  if (variables.every(({ customEnvironmentIds }) => customEnvironmentIds === undefined)) return new Map()
  const { environments } = await api.call(listEnvironments, { params: { idOrName } })
  return new Map(environments.map(({ id, slug }) => [id, slug]))
}

/** The places that are meant by these names; those of the project's own environments as their ids. */
export async function findPlaces(
  api: Client,
  idOrName: string,
  named: readonly string[],
): Promise<readonly string[]> {
  if (named.every(isTarget)) return named
  const { environments } = await api.call(listEnvironments, { params: { idOrName } })
  return named.map((name) => {
    if (isTarget(name)) return name
    const found = environments.find(({ id, slug }) => id === name || slug === name)
    if (found) return found.id
    const known = [...ENV_TARGETS, ...environments.map(({ slug }) => slug)].join(', ')
    throw new CliError(
      EXIT.notFound,
      `The project has no environment "${name}".`,
      `It has ${known}. Add one with \`aloft environments add\`.`,
    )
  })
}
