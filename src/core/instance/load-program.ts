import { type Deployment, environmentOf } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { openValues } from '../deployment/env/frozen-values.ts'
import type { FindSiteNames } from '../deployment/env/site-names.ts'
import { surroundings } from '../deployment/env/system-env.ts'
import type { Program } from '../output/output.ts'
import type { OutputStore } from '../output/output-store.ts'
import type { Vault } from '../ports/vault.ts'
import { isCrashed } from './crash-loop.ts'
import type { LoadedProgram, LoadProgram } from './instance.ts'
import type { ShareOfMin } from './keep-running.ts'

interface LoadParts {
  readonly deployments: Pick<DeploymentStore, 'find' | 'sealedEnv'>
  readonly outputs: Pick<OutputStore, 'code'>
  readonly vault: Vault
  readonly siteNames: FindSiteNames
  /** The region of this machine. */
  readonly origin: string
  readonly share: ShareOfMin
}

export const createLoadProgram =
  ({ deployments, outputs, vault, siteNames, origin, share }: LoadParts): LoadProgram =>
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
        ...runsIn(program),
        ...surroundings(deployment, values, await siteNames(deployment), origin),
        ...program.env,
        ...values.env,
      },
      scale: { ...deployment.scale, min: share(deployment, deployment.scale.min) },
      ...awayNotice(deployment, origin),
      paths: code?.functions.filter((fn) => fn.program === id).map(({ path }) => path) ?? [],
    }
  }

/** Every library for Node goes by it, and takes its absence for development. An image and Python have their own. */
const runsIn = ({ runtime }: Program): Readonly<Record<string, string>> =>
  runtime === 'node' || runtime === 'bun' ? { NODE_ENV: 'production' } : {}

/** Why it does not run where it should. While it is built, it is tried out wherever that is. */
const awayNotice = ({ regions, state }: Deployment, here: string): Pick<LoadedProgram, 'notice'> =>
  state !== 'READY' || regions.includes(here)
    ? {}
    : {
        notice: `This instance runs in ${here}: no machine was available in ${regions.join(', ')}, the regions of the deployment.`,
      }

/** One that crashed is started to see whether it runs again. */
const mayRun = (deployment: Deployment): boolean =>
  deployment.state === 'READY' || deployment.state === 'DEPLOYING' || isCrashed(deployment)
