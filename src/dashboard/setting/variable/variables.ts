import {
  ENV_TARGETS,
  type EnvTarget,
  type EnvType,
  type listVariables,
  SYSTEM_VARIABLES,
} from '#contract/api/env-variable.ts'
import type { ReplyOf } from '#contract/endpoint.ts'
import type { Environment } from '../environment/environments.ts'

export type Variable = ReplyOf<(typeof listVariables)['reply']>['envs'][number]

export const TYPES: readonly { readonly value: EnvType; readonly label: string; readonly says: string }[] = [
  { value: 'encrypted', label: 'Encrypted', says: 'Encrypted at rest. Members can reveal it.' },
  { value: 'sensitive', label: 'Sensitive', says: 'Encrypted at rest and never shown again.' },
  { value: 'plain', label: 'Plain', says: 'Stored unencrypted and may appear in build logs.' },
  { value: 'secret', label: 'Account secret', says: 'Uses the value of a secret.' },
  { value: 'system', label: 'System', says: 'Uses the value of a system variable.' },
]

export const typeLabel = (type: EnvType): string => TYPES.find(({ value }) => value === type)?.label ?? type

export const TARGET_LABELS: Readonly<Record<EnvTarget, string>> = {
  production: 'Production',
  preview: 'Preview',
  development: 'Development',
}

/** Where it is set, in words. */
export function targetsOf(
  { target, customEnvironmentIds = [] }: Variable,
  environments: readonly Environment[],
): string {
  const isEverywhere =
    ENV_TARGETS.every((each) => target.includes(each)) &&
    environments.every(({ id }) => customEnvironmentIds.includes(id))
  if (isEverywhere) return 'All environments'
  const own = customEnvironmentIds.map((id) => environments.find((each) => each.id === id)?.slug ?? id)
  return [...target.map((each) => TARGET_LABELS[each as EnvTarget] ?? each), ...own].join(', ') || 'Nowhere'
}

export const SYSTEM_NAMES = SYSTEM_VARIABLES.map((name) => `PLATFORM_${name}`)
