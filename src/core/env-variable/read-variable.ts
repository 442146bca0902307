import { ENV_TARGETS, type EnvType } from '#contract/api/env-variable.ts'
import { AloftError } from '#contract/errors.ts'
import { readEnv } from '../deployment/env.ts'
import { isSystemName } from '../deployment/system-env.ts'
import { PRODUCTION_BRANCH } from '../project/git-link.ts'
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

const invalid = (why: string) => new AloftError('bad_request', `Invalid request: ${why}.`)

const CUSTOM = /^env_[0-9A-Za-z]{1,60}$/

export function readVariable(
  requested: VariableRequest,
  { details }: Pick<Project, 'details'>,
): CheckedVariable {
  const { key, value, type, comment = null, customEnvironmentId = null } = requested
  readEnv({ [key]: value })
  if (!value.isWellFormed()) throw invalid('`value` should be valid Unicode text')
  const target = readTarget(requested.target, customEnvironmentId)
  const gitBranch = requested.gitBranch === '' ? null : (requested.gitBranch ?? null)
  if (gitBranch !== null) {
    if (target.length !== 1 || target[0] !== 'preview')
      throw invalid('`gitBranch` goes with the `target` preview alone')
    if (details.link !== null && gitBranch === PRODUCTION_BRANCH)
      throw invalid(`\`gitBranch\` should not be \`${gitBranch}\`, which is deployed to production`)
  }
  if (type === 'sensitive' && target.includes('development'))
    throw invalid('a `sensitive` variable cannot have the `target` development')
  if (type === 'system' && !isSystemName(value))
    throw invalid(`\`value\` should be the name of a system variable, such as \`PLATFORM_URL\``)
  return { key, value, type, target, gitBranch, comment, customEnvironmentId }
}

function readTarget(given: VariableRequest['target'], custom: string | null): readonly string[] {
  const targets = [...new Set(typeof given === 'string' ? [given] : (given ?? []))]
  const wrong = targets.find(
    (name) => !(ENV_TARGETS as readonly string[]).includes(name) && !CUSTOM.test(name),
  )
  if (wrong !== undefined) throw invalid(`\`target\` should be one of ${ENV_TARGETS.join(', ')}`)
  if (targets.length === 0 && custom === null) throw invalid('missing required property `target`')
  return targets
}
