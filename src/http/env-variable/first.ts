import type { SecretVariable } from '#core/env-variable/env-variables.ts'

/** The shape of the first version. */
export const variable = ({ variable: v, name }: SecretVariable) => ({
  key: v.key,
  // A secret that was deleted is still known by its id.
  value: `@${name ?? v.value}`,
  installationId: v.configurationId,
  updatedAt: v.updatedAt,
})
