import { ENV_TARGETS, type EnvType } from '#contract/api/env-variable.ts'
import { invalidRequest } from '#contract/errors.ts'
import { isEnvironmentId } from '../custom-environment/custom-environment.ts'
import { readEnv } from '../deployment/env/requested-env.ts'
import { isSystemName } from '../deployment/env/system-env.ts'
import { statedProductionBranch } from '../project/git-link.ts'
import type { Project } from '../project/project.ts'

/** A variable as it is asked for. */
export interface VariableRequest {
  readonly key: string
  readonly value: string
  readonly type: EnvType
  readonly target?: string | readonly string[] | undefined
  readonly gitBranch?: string | null | undefined
  readonly comment?: string | null | undefined
  readonly customEnvironmentId?: string | null | undefined
  /** Beside those that `target` names. */
  readonly customEnvironmentIds?: readonly string[] | undefined
}

/** The same after everything was checked that needs no store. */
export interface CheckedVariable {
  readonly key: string
  /** The value itself, or what it refers to. */
  readonly value: string
  readonly type: EnvType
  readonly target: readonly string[]
  readonly gitBranch: string | null
  readonly comment: string | null
  readonly customEnvironmentId: string | null
}

export function readVariable(
  requested: VariableRequest,
  { details }: Pick<Project, 'details'>,
): CheckedVariable {
  const { key, value, type, comment = null, customEnvironmentId = null } = requested
  readEnv({ [key]: value })
  if (!value.isWellFormed()) throw invalidRequest('`value` should be valid Unicode text')
  const environments = requested.customEnvironmentIds ?? []
  const unknown = environments.find((id) => details.customEnvironments.every((known) => known.id !== id))
  if (unknown !== undefined)
    throw invalidRequest(`the project has no environment with the id \`${unknown.slice(0, 64)}\``)
  const target = readTarget(requested.target, environments, customEnvironmentId)
  const gitBranch = requested.gitBranch === '' ? null : (requested.gitBranch ?? null)
  if (gitBranch !== null) {
    if (target.length !== 1 || target[0] !== 'preview')
      throw invalidRequest('`gitBranch` can only be used with the `target` preview')
    if (gitBranch === statedProductionBranch(details))
      throw invalidRequest(`\`gitBranch\` should not be \`${gitBranch}\`, which is deployed to production`)
  }
  if (type === 'sensitive' && target.includes('development'))
    throw invalidRequest('a `sensitive` variable cannot have the `target` development')
  if (type === 'system' && !isSystemName(value))
    throw invalidRequest(`\`value\` should be the name of a system variable, such as \`PLATFORM_URL\``)
  return { key, value, type, target, gitBranch, comment, customEnvironmentId }
}

function readTarget(
  given: VariableRequest['target'],
  environments: readonly string[],
  custom: string | null,
): readonly string[] {
  const targets = [...new Set([...[given ?? []].flat(), ...environments])]
  const wrong = targets.find(
    (name) => !(ENV_TARGETS as readonly string[]).includes(name) && !isEnvironmentId(name),
  )
  if (wrong !== undefined) throw invalidRequest(`\`target\` should be one of ${ENV_TARGETS.join(', ')}`)
  if (targets.length === 0 && custom === null) throw invalidRequest('missing required property `target`')
  return targets
}
