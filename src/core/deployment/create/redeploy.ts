import type { Target } from '#contract/api/deployment.ts'
import { AloftError, noSuch } from '#contract/errors.ts'
import type { Vault } from '../../ports/vault.ts'
import type { Deployment } from '../deployment.ts'
import type { DeploymentStore } from '../deployment-store.ts'
import { type FrozenValues, openValues } from '../env/frozen-values.ts'
import type { CreateDeployment } from './read-deployment-request.ts'

/** The note under which a redeployment says what it repeats. */
const REDEPLOY_NOTE = 'redeployOf'

export interface Redeploy {
  /** Null for a preview; as before unless said. */
  readonly target?: Target | null
  /** In the place of a target, by its slug or id. */
  readonly customEnvironment?: string
  readonly meta?: Readonly<Record<string, unknown>>
}

/**
 * A deployment as a request that makes it anew: with its own files, options and variables, and with the project's
 * variables and settings as they are today.
 */
export async function asRequest(
  { store, vault }: { readonly store: DeploymentStore; readonly vault: Vault },
  source: Deployment,
  change: Redeploy,
): Promise<CreateDeployment> {
  const [files, sealed] = await Promise.all([store.manifest(source.id), store.sealedEnv(source.id)])
  if (sealed === undefined) throw noSuch('deployment', source.id)
  if (source.incomplete)
    throw new AloftError(
      'conflict',
      'The deployment is still waiting for files. Upload them, or deploy from the folder again.',
    )
  const { meta } = change
  const aim = aimOf(source, change)
  const values = openValues(vault, source.id, sealed)
  const { registryAuthToken } = values
  return {
    name: source.name,
    project: source.projectId,
    files: files.map(({ path, sha1, size, mode }) => ({ file: path, sha: sha1, size, mode })),
    meta: { ...source.meta, ...meta, [REDEPLOY_NOTE]: source.id },
    keeps: { ...ownValues(source, values), sameTarget: (aim.target ?? null) === source.target },
    builds: source.builds,
    ...(source.routes === null ? {} : { routes: source.routes }),
    regions: source.regions,
    public: source.public,
    ...aim,
    ...(source.aliasWish === null ? {} : { alias: source.aliasWish }),
    forceNew: true,
    ...(source.requestedType === null
      ? {}
      : { type: source.requestedType, sessionAffinity: source.sessionAffinity }),
    ...(source.nodeVersion === null ? {} : { nodeVersion: source.nodeVersion }),
    ...(registryAuthToken === undefined ? {} : { registryAuthToken }),
  }
}

/** As before unless the change says otherwise. */
function aimOf(
  source: Deployment,
  { target, customEnvironment }: Redeploy,
): Pick<CreateDeployment, 'target' | 'customEnvironment'> {
  const environment = customEnvironment ?? (target === undefined ? source.customEnvironment?.id : undefined)
  if (environment !== undefined) return { ...(target ? { target } : {}), customEnvironment: environment }
  const aimed = target === undefined ? source.target : target
  return aimed === null ? {} : { target: aimed }
}

/** What came with the deployment itself. The rest were the project's variables, which are taken as they are today. */
function ownValues({ envKeys, buildEnvKeys }: Deployment, { env, buildEnv, secrets }: FrozenValues) {
  const own = (keys: readonly string[], values: Readonly<Record<string, string>>) =>
    Object.fromEntries(keys.map((key) => [key, values[key] ?? '']))
  const kept = { env: own(envKeys, env), buildEnv: own(buildEnvKeys, buildEnv) }
  const present = new Set([...Object.values(kept.env), ...Object.values(kept.buildEnv)])
  return { ...kept, secrets: secrets.filter((secret) => present.has(secret)) }
}
