import { AloftError } from '#contract/errors.ts'
import type { Owner } from '../access/context.ts'
import type { TeamStore } from './team-store.ts'

/** Whether somebody may say with which variables the production of an account runs. */
export async function mayEditProduction(
  owner: Pick<Owner, 'id' | 'role'>,
  teams: Pick<TeamStore, 'byId'>,
): Promise<boolean> {
  if (owner.role === 'OWNER') return true
  return (await teams.byId(owner.id))?.membersMayEditProduction ?? false
}

export const productionIsClosed = () =>
  new AloftError('forbidden', 'In this team, only an OWNER can change production variables.')

/**
 * Refuses to put a deployment into production that was given variables of its own as a preview, by somebody who may
 * not change those of production: they would be production's by a detour.
 */
export async function checkOwnVariables(
  owner: Pick<Owner, 'id' | 'role'>,
  teams: Pick<TeamStore, 'byId'>,
  deployment: {
    readonly target: string | null
    readonly envKeys: readonly string[]
    readonly buildEnvKeys: readonly string[]
  },
): Promise<void> {
  const hasOwn = deployment.envKeys.length > 0 || deployment.buildEnvKeys.length > 0
  if (deployment.target !== 'production' && hasOwn && !(await mayEditProduction(owner, teams)))
    throw new AloftError(
      'forbidden',
      'The deployment has its own variables, and in this team only an OWNER can change production variables.',
    )
}
