import type { Target } from '#contract/api/deployment.ts'
import type { EnvironmentOfDeployment } from '../custom-environment/custom-environment.ts'
import { branchOf, isFromFork } from '../deployment/branch.ts'
import { environmentOf } from '../deployment/deployment.ts'
import type { Vault } from '../ports/vault.ts'
import { type EnvVariable, isSealed, placesOf, sealedFor } from './env-variable.ts'

/** What decides which variables a deployment is given. */
interface Receiver {
  readonly target: Target | null | undefined
  readonly meta: Readonly<Record<string, string>>
  readonly customEnvironment?: EnvironmentOfDeployment | undefined
}

/**
 * Which of a project's variables a deployment is given, by their name. Those of its branch come before general ones.
 * What came from a fork is given none: whoever opened the pull request would read them.
 */
export function variablesFor(
  variables: readonly EnvVariable[],
  { target, meta, customEnvironment }: Receiver,
): ReadonlyMap<string, EnvVariable> {
  if (isFromFork(meta)) return new Map()
  const place = customEnvironment?.id ?? environmentOf({ target: target ?? null })
  const branch = branchOf(meta)
  const suitable = variables.filter(
    (variable) =>
      placesOf(variable).includes(place) && (variable.gitBranch === null || variable.gitBranch === branch),
  )
  const general = suitable.filter(({ gitBranch }) => gitBranch === null)
  const special = suitable.filter(({ gitBranch }) => gitBranch !== null)
  return new Map([...general, ...special].map((variable) => [variable.key, variable]))
}

/** Their values, apart by where those come from. */
interface VariableValues {
  readonly env: Readonly<Record<string, string>>
  /** Values that should not be seen in logs. */
  readonly hidden: readonly string[]
  /** By the name of the system variable that has the value. */
  readonly system: Readonly<Record<string, string>>
}

/** Ids of the secrets that these variables stand for. */
export const secretIdsIn = (variables: ReadonlyMap<string, EnvVariable>): string[] => [
  ...new Set([...variables.values()].flatMap(({ type, value }) => (type === 'secret' ? [value] : []))),
]

export function openVariables(
  variables: ReadonlyMap<string, EnvVariable>,
  secrets: ReadonlyMap<string, string>,
  vault: Vault,
): VariableValues {
  const env: Record<string, string> = {}
  const system: Record<string, string> = {}
  const hidden: string[] = []
  for (const [key, { id, type, value }] of variables) {
    if (type === 'system') {
      system[key] = value
      continue
    }
    const opened = isSealed(type)
      ? vault.open(value, sealedFor(id))
      : type === 'secret'
        ? secrets.get(value)
        : value
    env[key] = opened ?? ''
    if (type !== 'plain') hidden.push(env[key])
  }
  return { env, system, hidden }
}

/** Changes when any of these variables does. */
export const versionOf = (variables: ReadonlyMap<string, EnvVariable>): readonly string[] =>
  [...variables.values()].map(({ id, updatedAt }) => `${id}@${updatedAt}`).sort()
