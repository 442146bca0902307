import type { EnvVariableStore } from '../env-variable/env-variable-store.ts'
import type { EventQueue, NewEvent } from '../event/event.ts'
import type { Installation } from './installation.ts'
import { removedEvent } from './installation-events.ts'
import type { InstallationStore } from './installation-store.ts'

export interface RemovalStores {
  readonly installations: Pick<InstallationStore, 'remove'>
  readonly envVariables: Pick<EnvVariableStore, 'deleteOf'>
  readonly events: EventQueue
}

/** Takes an application out of an account with all that it left there. It is told first, while it is still known. */
export async function removeInstallation(
  { installations, envVariables, events }: RemovalStores,
  installation: Installation,
  cause: Pick<NewEvent, 'userId' | 'at'>,
): Promise<void> {
  await events.emit(removedEvent(installation, cause))
  await envVariables.deleteOf(installation.id)
  await installations.remove(installation.id)
}
