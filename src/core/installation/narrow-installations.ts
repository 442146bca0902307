import type { Scopes } from '../application/application.ts'
import type { InstallationStore } from './installation-store.ts'
import { narrowed, scopeList } from './scope-change.ts'

const STEP = 200

/**
 * Takes from every installation of an application what that does not ask for any more, inside the transaction of the
 * change: what was removed is gone before anybody is told so. What it asks for besides waits for a job.
 */
export async function narrowInstallations(
  installations: Pick<InstallationStore, 'everywhere' | 'lock' | 'update'>,
  applicationId: string,
  asked: Scopes,
  now: number,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const some = await installations.everywhere(applicationId, after, STEP)
    for (const { id } of some) {
      const installation = await installations.lock(id)
      if (!installation) continue
      const scopes = narrowed(installation.scopes, asked)
      if (scopeList(scopes).join() !== scopeList(installation.scopes).join())
        await installations.update(id, { scopes, updatedAt: now })
    }
    after = some.at(-1)?.ownerId
  }
}
