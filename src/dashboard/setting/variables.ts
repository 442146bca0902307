import { ENV_TARGETS, type EnvTarget, type EnvType, type listVariables } from '#contract/api/env-variable.ts'
import type { ReplyOf } from '#contract/endpoint.ts'

export type Variable = ReplyOf<(typeof listVariables)['reply']>['envs'][number]

export const TYPES: readonly { readonly value: EnvType; readonly label: string; readonly says: string }[] = [
  { value: 'encrypted', label: 'Encrypted', says: 'Sealed at rest; members may reveal it.' },
  { value: 'sensitive', label: 'Sensitive', says: 'Sealed at rest, and never shown to anybody again.' },
  { value: 'plain', label: 'Plain', says: 'Stored as it is, and may show up in build logs.' },
  { value: 'secret', label: 'Secret of the account', says: 'Takes the value of a secret.' },
  { value: 'system', label: 'System', says: 'Takes the value of a system variable.' },
]

export const typeLabel = (type: EnvType): string => TYPES.find(({ value }) => value === type)?.label ?? type

export const TARGET_LABELS: Readonly<Record<EnvTarget, string>> = {
  production: 'Production',
  preview: 'Preview',
  development: 'Development',
}

/** Where it is set, in words. */
export function targetsOf({ target, customEnvironmentId }: Variable): string {
  if (customEnvironmentId !== undefined) return customEnvironmentId
  if (ENV_TARGETS.every((each) => target.includes(each))) return 'Everywhere'
  return target.map((each) => TARGET_LABELS[each as EnvTarget] ?? each).join(', ')
}

export const SYSTEM_NAMES = [
  'ENV',
  'TARGET_ENV',
  'URL',
  'REGION',
  'DEPLOYMENT_ID',
  'PROJECT_ID',
  'GIT_PROVIDER',
  'GIT_COMMIT_REF',
  'GIT_COMMIT_SHA',
  'GIT_COMMIT_MESSAGE',
  'GIT_COMMIT_AUTHOR_LOGIN',
  'GIT_REPO_SLUG',
  'GIT_REPO_OWNER',
].map((name) => `PLATFORM_${name}`)
