import { showLimit } from '#contract/amounts.ts'
import type { LegacyType, Target } from '#contract/api/deployment.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import type { Owner } from '../../access/context.ts'
import type { PlatformNames } from '../../alias/platform-names.ts'
import type { BuildSettings } from '../../project/project.ts'
import { compileRoutes } from '../../routing/read/compile-routes.ts'
import type { Route } from '../../routing/route.ts'
import { type BuildInput, readBuilds } from '../builds.ts'
import type { BuildSpec } from '../deployment.ts'
import type { FrozenValues } from '../env/frozen-values.ts'
import { type RequestedEnv, readEnv } from '../env/requested-env.ts'
import { type FileInput, type RequestedFiles, readFiles } from '../file/manifest.ts'
import { projectSlug, readAlias } from '../hosts.ts'
import { readRegions } from './regions.ts'

/** A create request in words that all generations share. */
export interface CreateDeployment {
  readonly name: string
  readonly files: readonly FileInput[]
  /** The project by id or name, where it is not the one that the name stands for. */
  readonly project?: string
  readonly meta?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, unknown>>
  readonly buildEnv?: Readonly<Record<string, unknown>>
  /** In the place of `env` and `buildEnv`: those of an earlier deployment, as they are. */
  readonly keeps?: KeptValues
  readonly builds?: readonly BuildInput[]
  readonly routes?: unknown
  readonly regions?: readonly string[]
  readonly public?: boolean
  readonly target?: Target
  /** In the place of a target: an environment of the project, by its slug or id. */
  readonly customEnvironment?: string
  readonly alias?: string | readonly string[]
  readonly forceNew?: boolean
  /** What a project that this makes is set to. */
  readonly newProject?: Partial<Pick<BuildSettings, 'nodeVersion' | 'rootDirectory'>>
  /** Begin although files are missing; uploads complete it. */
  readonly allowMissing?: boolean
  /** What older clients say about how it runs. */
  readonly type?: LegacyType
  readonly sessionAffinity?: 'ip' | 'random'
  readonly nodeVersion?: string
  readonly registryAuthToken?: string
}

/** The variables that came with an earlier deployment. */
interface KeptValues extends Pick<FrozenValues, 'env' | 'buildEnv' | 'secrets'> {
  /** Nobody sets anything by them: they go where they were before. */
  readonly sameTarget: boolean
}

/** The same after everything was checked that needs no store. */
export interface DeploymentRequest {
  readonly slug: string
  readonly files: RequestedFiles
  readonly env: RequestedEnv
  readonly buildEnv: RequestedEnv
  readonly alias: readonly string[] | null
  readonly routes: readonly Route[] | null
  /** Undefined where it does not say. */
  readonly regions: readonly string[] | undefined
  readonly builds: readonly BuildSpec[]
  readonly meta: Readonly<Record<string, string>>
}

const MAX_ALIASES = 50
/**
 * As text. All of it is read with each deployment of a list, and answered with each deployment: what is larger would take the memory
 * of the process that answers, and the time of those who visit sites there.
 */
const MAX_TEXT = { routes: 512 * 1024, builds: 64 * 1024, meta: 64 * 1024 }

export async function readDeploymentRequest(
  command: CreateDeployment,
  { owner, names }: { readonly owner: Owner; readonly names: PlatformNames },
): Promise<DeploymentRequest> {
  const slug = projectSlug(command.name)
  if (owner.plan === 'oss' && command.public !== true)
    throw new AloftError(
      'plan_requires_public',
      'The OSS plan allows only public deployments: set `public` to true.',
    )
  for (const [name, most] of Object.entries(MAX_TEXT) as [keyof typeof MAX_TEXT, number][])
    if (JSON.stringify(command[name] ?? null).length > most)
      throw invalidRequest(`\`${name}\` should take at most ${showLimit(most)} as JSON`)
  return {
    slug,
    files: await readFiles(command.files),
    env: command.keeps ? asGiven(command.keeps.env) : readEnv(command.env),
    buildEnv: command.keeps ? asGiven(command.keeps.buildEnv) : readEnv(command.buildEnv),
    alias: readAliases(command, names, owner),
    routes: readRoutes(command.routes),
    regions: readRegions(command.regions),
    builds: readBuilds(command.builds ?? []),
    meta: readMeta(command.meta),
  }
}

/** Values that are not looked at for references any more. */
const asGiven = (values: Readonly<Record<string, string>>): RequestedEnv =>
  new Map(Object.entries(values).map(([key, value]) => [key, { value }]))

/** The field counts for production only; elsewhere it is ignored. */
function readAliases(
  { alias, target }: CreateDeployment,
  names: PlatformNames,
  owner: Owner,
): string[] | null {
  if (alias === undefined || target !== 'production') return null
  const list = typeof alias === 'string' ? [alias] : alias
  if (list.length > MAX_ALIASES) throw invalidRequest(`\`alias\` should have at most ${MAX_ALIASES} items`)
  return [...new Set(list.map((text) => readAlias(text, names, owner)))]
}

function readRoutes(routes: unknown): readonly Route[] | null {
  if (routes === undefined || routes === null) return null
  const compiled = compileRoutes(routes)
  if (compiled.ok) return compiled.table.routes
  const [first] = compiled.errors
  throw new AloftError(
    'invalid_routes',
    `The routes are not valid: ${first?.message ?? 'they are malformed'}`,
    {
      errors: compiled.errors,
    },
  )
}

const readMeta = (meta: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(meta).map(([key, value]) => [
      key,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  )
