import { type Deployment, environmentOf } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { openValues } from '../deployment/frozen-values.ts'
import type { FindSiteNames } from '../deployment/site-names.ts'
import { surroundings } from '../deployment/system-env.ts'
import type { OutputStore } from '../output/output-store.ts'
import type { Vault } from '../ports/vault.ts'
import { isCrashed } from './crash-loop.ts'
import type { LoadProgram } from './instance.ts'

interface LoadParts {
  readonly deployments: Pick<DeploymentStore, 'find' | 'sealedEnv'>
  readonly outputs: Pick<OutputStore, 'code'>
  readonly vault: Vault
  readonly siteNames: FindSiteNames
}

export const createLoadProgram =
  ({ deployments, outputs, vault, siteNames }: LoadParts): LoadProgram =>
  async ({ deploymentId, program: id }) => {
    const [deployment, code, sealed] = await Promise.all([
      deployments.find(deploymentId),
      outputs.code(deploymentId),
      deployments.sealedEnv(deploymentId),
    ])
    const program = code?.programs.find((candidate) => candidate.id === id)
    if (!program || !deployment || !mayRun(deployment) || sealed === undefined) return undefined
    const values = openValues(vault, deploymentId, sealed)
    return {
      program,
      deploymentId,
      ownerId: deployment.ownerId,
      projectId: deployment.projectId,
      environment: environmentOf(deployment),
      env: {
        ...surroundings(deployment, values, await siteNames(deployment)),
        ...program.env,
        ...values.env,
      },
      scale: deployment.scale,
      paths: code?.functions.filter((fn) => fn.program === id).map(({ path }) => path) ?? [],
    }
  }

/** One that crashed is started to see whether it runs again. */
const mayRun = (deployment: Deployment): boolean =>
  deployment.state === 'READY' || deployment.state === 'DEPLOYING' || isCrashed(deployment)
