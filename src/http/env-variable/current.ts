import type { AloftError } from '#contract/errors.ts'
import { isEnvironmentId } from '#core/custom-environment/custom-environment.ts'
import { type EnvVariable, environmentsOf } from '#core/env-variable/env-variable.ts'

/** Enough of the sealed value to tell it apart, and nothing that anybody could open. */
const OPAQUE = 64

/** A value as lists show it. */
const shown = ({ type, value }: EnvVariable): string =>
  type === 'sensitive' ? '' : type === 'encrypted' ? value.slice(0, OPAQUE) : value

export const variable = (v: EnvVariable, revealed?: string) => ({
  id: v.id,
  key: v.key,
  value: revealed ?? shown(v),
  type: v.type,
  target: v.target.filter((name) => !isEnvironmentId(name)),
  ...(v.gitBranch === null ? {} : { gitBranch: v.gitBranch }),
  ...(v.comment === null ? {} : { comment: v.comment }),
  ...(v.customEnvironmentId === null ? {} : { customEnvironmentId: v.customEnvironmentId }),
  ...(environmentsOf(v).length === 0 ? {} : { customEnvironmentIds: [...environmentsOf(v)] }),
  configurationId: v.configurationId,
  createdAt: v.createdAt,
  createdBy: v.createdBy,
  updatedAt: v.updatedAt,
  updatedBy: v.updatedBy,
  decrypted: v.type === 'plain' || (v.type === 'encrypted' && revealed !== undefined),
})

/** Why one of many was not created. */
export const failure = ({ message, extra }: AloftError) => ({
  error: { code: 'ENV_CONFLICT', message, key: extra.envVarKey, ...extra },
})
