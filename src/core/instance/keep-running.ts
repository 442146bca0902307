import type { Deployment, Scale } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { OutputStore } from '../output/output-store.ts'
import { createTurns } from '../turns.ts'

/** How many of the instances that a deployment always has are for this machine to run. */
export type ShareOfMin = (deployment: Pick<Deployment, 'id' | 'regions'>, min: number) => number

interface KeepParts {
  readonly deployments: Pick<DeploymentStore, 'find'>
  readonly outputs: Pick<OutputStore, 'code'>
  readonly scale: (deploymentId: string, scale: Scale, programs: readonly string[]) => void
  /** It was deleted. */
  readonly forget: (deploymentId: string) => void
  readonly share: ShareOfMin
}

/**
 * Has as many instances of a deployment run as it wants now. What is read for one change never comes after what is
 * read for a later one: otherwise an older scale could stay in force, and instances would never freeze.
 */
export function createKeepRunning({ deployments, outputs, scale, forget, share }: KeepParts) {
  const turns = createTurns(1)

  async function apply(id: string): Promise<void> {
    const [deployment, code] = await Promise.all([deployments.find(id), outputs.code(id)])
    if (!deployment) return forget(id)
    const { min, max } = deployment.scale
    scale(id, { min: share(deployment, min), max }, code?.programs.map((program) => program.id) ?? [])
  }

  return (id: string): Promise<void> => turns.run(id, () => apply(id))
}

interface KeepAllParts {
  readonly deployments: Pick<DeploymentStore, 'keptRunning'>
  readonly keepRunning: (id: string) => Promise<void>
  /** Deployments of which something runs here, or did a moment ago. */
  readonly running: () => readonly string[]
}

/** Has all instances run that should, and no others, whatever was missed of the news. */
export const createKeepAll =
  ({ deployments, keepRunning, running }: KeepAllParts) =>
  async (): Promise<void> => {
    const kept = await deployments.keptRunning()
    await Promise.all([...new Set([...kept.map(({ id }) => id), ...running()])].map(keepRunning))
  }
