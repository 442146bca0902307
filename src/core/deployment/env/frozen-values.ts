import type { Vault } from '../../ports/vault.ts'

/** The values of a deployment's variables, as they were when it was made. */
export interface FrozenValues {
  readonly env: Readonly<Record<string, string>>
  readonly buildEnv: Readonly<Record<string, string>>
  /** Those that came from secrets. */
  readonly secrets: readonly string[]
  readonly registryAuthToken?: string
  /** Variables that have the value of a system variable, by its name: some are known only later. */
  readonly system?: Readonly<Record<string, string>>
  /** The project does not want system variables but those. */
  readonly hidesSystem?: boolean
}

const purpose = (deploymentId: string): string => `deployment-env:${deploymentId}`

export const sealValues = (vault: Vault, deploymentId: string, values: FrozenValues): string =>
  vault.seal(JSON.stringify(values), purpose(deploymentId))

export const openValues = (vault: Vault, deploymentId: string, sealed: string): FrozenValues =>
  JSON.parse(vault.open(sealed, purpose(deploymentId)))
