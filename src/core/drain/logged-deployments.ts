import { SECOND } from '#contract/time.ts'
import { environmentOf } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { LoggedDeployment } from './drain-item.ts'

interface CachedDeployment {
  readonly deployment: LoggedDeployment | undefined
  readonly until: number
}

/**
 * What is known of a deployment; undefined when it is gone. May be some seconds old. Answers at once where it
 * can: it is asked for every entry.
 */
export type FindLogged = (
  deploymentId: string,
) => LoggedDeployment | undefined | Promise<LoggedDeployment | undefined>

/** Short, as what is written after a project went to another account is not for the one before. */
const FRESH = 5 * SECOND
const MOST = 10_000

export function createFindLogged(deployments: Pick<DeploymentStore, 'find'>, clock: Clock): FindLogged {
  const known = new Map<string, CachedDeployment>()

  async function find(id: string): Promise<LoggedDeployment | undefined> {
    const found = await deployments.find(id)
    const deployment = found && {
      ownerId: found.ownerId,
      projectId: found.projectId,
      host: found.host ?? found.name,
      environment: environmentOf(found),
    }
    if (known.size >= MOST) known.clear()
    known.set(id, { deployment, until: clock.monotonic() + FRESH })
    return deployment
  }

  return (id) => {
    const there = known.get(id)
    return there && there.until > clock.monotonic() ? there.deployment : find(id)
  }
}
