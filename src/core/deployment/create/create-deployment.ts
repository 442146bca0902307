import type { Hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import type { Context, Owner } from '../../access/context.ts'
import { checkMayAdd, checkReach } from '../../access/reach.ts'
import type { HostStore } from '../../alias/host-store.ts'
import type { PlatformNames } from '../../alias/platform-names.ts'
import { type EnvironmentOfDeployment, findEnvironment } from '../../custom-environment/custom-environment.ts'
import type { IgnoredKey } from '../../detection/config/known-keys.ts'
import { filesOutput } from '../../detection/files-only.ts'
import type { CheckCustomHost } from '../../domain/custom-host.ts'
import type { DomainStore } from '../../domain/domain-store.ts'
import type { EnvVariableStore } from '../../env-variable/env-variable-store.ts'
import { openVariables, secretIdsIn, variablesFor, versionOf } from '../../env-variable/variables-for.ts'
import { projectEvent } from '../../event/event-payloads.ts'
import type { FileStore } from '../../file/file-store.ts'
import type { RepositorySizeStore } from '../../git/repository-sizes.ts'
import type { InstanceStore } from '../../instance/instance-store.ts'
import type { LogOfBuild } from '../../log/write/build-log.ts'
import type { OutputStore } from '../../output/output-store.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Locks } from '../../ports/locks.ts'
import type { Transact } from '../../ports/transact.ts'
import type { Vault } from '../../ports/vault.ts'
import { unknownProject } from '../../project/find-project.ts'
import {
  type BuildSettings,
  DEFAULT_BUILD_SETTINGS,
  newProject,
  type Project,
} from '../../project/project.ts'
import type { ProjectStore } from '../../project/project-store.ts'
import { readFolder } from '../../project/read-settings.ts'
import type { SecretStore } from '../../secret/secret-store.ts'
import { nextTurn } from '../../slices.ts'
import { mayEditProduction, productionIsClosed } from '../../team/production-right.ts'
import type { TeamStore } from '../../team/team-store.ts'
import type { ContentRoom } from '../../usage/content-room.ts'
import type { ReadSettings } from '../../usage/quota-settings.ts'
import type { Quotas } from '../../usage/quotas.ts'
import type { UsageStore } from '../../usage/usage-store.ts'
import { branchOf, forkIsNoProduction } from '../branch.ts'
import { type Deployment, MAX_INSTANCES } from '../deployment.ts'
import type { DeploymentStore, PackedManifest } from '../deployment-store.ts'
import { type FrozenValues, sealValues } from '../env/frozen-values.ts'
import { fillEnv, secretsIn } from '../env/requested-env.ts'
import { isPlatformHost } from '../hosts.ts'
import { checkAliases, type PublishStores, publish } from '../publish.ts'
import { type Decision, decide, type Work } from './decide.ts'
import { type DigestInput, digestOf, hashFiles } from './digest.ts'
import { fillMissing, type GatheredFiles, gatherFiles, servedOnly } from './gather-files.ts'
import { createInlineFiles, type Inline } from './inline-files.ts'
import {
  type CreateDeployment,
  type DeploymentRequest,
  readDeploymentRequest,
} from './read-deployment-request.ts'
import { regionsNamed } from './regions.ts'

export interface Created {
  readonly deployment: Deployment
  /** False when an earlier deployment of the same files and configuration was answered. */
  readonly isNew: boolean
  /** SHA-1s that are still to be uploaded. */
  readonly missing: readonly string[]
  readonly totalSize: number
  /** See `Decision`. */
  readonly ignoredKeys?: readonly IgnoredKey[]
}

interface CreateStores extends PublishStores {
  readonly locks: Locks
  readonly files: FileStore
  readonly secrets: SecretStore
  readonly envVariables: EnvVariableStore
  readonly outputs: OutputStore
  readonly teams: Pick<TeamStore, 'byId'>
  readonly usage: Pick<UsageStore, 'used' | 'held'>
  readonly gitSizes: Pick<RepositorySizeStore, 'used'>
  readonly instances: Pick<InstanceStore, 'ofOwner' | 'counts'>
  readonly settings: ReadSettings
}

export interface CreateParts {
  readonly transact: Transact<CreateStores>
  readonly store: Pick<DeploymentStore, 'pack'>
  readonly files: Pick<FileStore, 'add' | 'claim' | 'claimEach'>
  readonly projects: Pick<ProjectStore, 'byIdOrName'>
  readonly logOf: LogOfBuild
  readonly quotas: Quotas
  readonly content: ContentRoom
  /** Whether images can be built and run here. */
  readonly docker: boolean
  readonly blobs: BlobStore
  readonly vault: Vault
  readonly clock: Clock
  readonly names: PlatformNames
  /** The values of references to secrets, by reference; throws for the first that cannot be had. */
  readonly resolveSecrets: (
    secrets: SecretStore,
    ownerId: string,
    references: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>
  readonly domains: Pick<DomainStore, 'covering' | 'verifiedCovering'>
  readonly checkCustomHost: CheckCustomHost
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

export function createCreateDeployment(parts: CreateParts) {
  const { transact, blobs, vault, clock, names } = parts
  const inlineFiles = createInlineFiles(parts)

  /** What the files, as they were sent or uploaded before, are found out to be. */
  function found(
    owner: Owner,
    command: CreateDeployment,
    requested: DeploymentRequest,
    settings: BuildSettings,
  ): Promise<Decision> {
    return decide({
      ...{ command, requested, settings, docker: parts.docker },
      files: requested.files.all,
      async read(file) {
        if ('bytes' in file) return file.bytes
        if (file.sha256 !== '') return blobs.read(file.sha256)
        // It may have come since it was looked for.
        const known = await parts.files.claim(owner.id, [file.sha1], clock.now())
        const content = known.get(file.sha1)
        return content && blobs.read(content.sha256)
      },
    })
  }

  return async function create(ctx: Context, command: CreateDeployment): Promise<Created> {
    const { owner } = ctx
    const requested = await readDeploymentRequest(command, { owner, names })
    if (command.target === 'production') forkIsNoProduction(requested.meta)
    for (const host of requested.alias ?? [])
      if (!isPlatformHost(host, names.domain)) await parts.checkCustomHost(parts.domains, owner, host)
    const inline = await inlineFiles.store(owner, requested.files)
    try {
      return await createOf(ctx, command, requested, inline)
    } catch (error) {
      // What a refused request leaves behind counts, and is collected, as any upload that nothing refers to.
      if (inline.room) await inlineFiles.addRows(owner, inline.rows, inline.room.limit).catch(() => {})
      throw error
    } finally {
      inline.room?.release()
    }
  }

  async function createOf(
    ctx: Context,
    command: CreateDeployment,
    requested: DeploymentRequest,
    inline: Inline,
  ): Promise<Created> {
    const { owner } = ctx
    const gathered = await gatherFiles(
      parts.files,
      owner.id,
      requested.files.all.list,
      inline.byPath,
      clock.now(),
    )
    const fileHash = requested.files.hash ?? (await hashFiles(requested.files.all.sorted))
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // Contents are looked at before the transaction, in which everybody else would wait for that.
      const seen = await parts.projects.byIdOrName(owner.id, command.project ?? requested.slug)
      const settings = seen?.build ?? initialSettings(command)
      await nextTurn(gathered.manifest.length)
      const decision = await found(owner, command, requested, settings)
      if (gathered.missing.length > 0 && !command.allowMissing)
        throw new AloftError('missing_files', 'Some files haven’t been uploaded.', {
          missing: gathered.missing,
        })
      const manifest = await servedOnly(gathered.manifest, decision.work)
      await nextTurn(manifest.length)
      const packed = await parts.store.pack(manifest)
      await nextTurn(manifest.length)
      const created = await enter(ctx, command, {
        ...{ requested, settings, fileHash, inline, packed, gathered: { ...gathered, manifest } },
        ...decision,
      })
      if (created === undefined) continue
      const { changed, ...answer } = created
      parts.onHostsChanged(changed)
      if (answer.isNew && !answer.deployment.incomplete) await tell(answer.deployment, decision.work)
      return decision.ignoredKeys ? { ...answer, ignoredKeys: decision.ignoredKeys } : answer
    }
    throw new AloftError('conflict', "The project's settings are being changed. Try again.")
  }

  /** Undefined where the project's settings were changed since it was found out what the files are. */
  async function enter(ctx: Context, input: CreateDeployment, asked: PreparedRequest) {
    const { owner, origin } = ctx
    const { requested, settings, work, gathered, packed, inline, fileHash } = asked
    const { totalSize } = gathered
    const now = clock.now()
    return transact(async (stores) => {
      if (inline.room) await stores.files.add(owner.id, inline.rows, now, inline.room.limit)
      const { manifest, missing } = await fillMissing(stores.files, owner.id, gathered, now)
      const setsVariables =
        (requested.env.size > 0 || requested.buildEnv.size > 0) && input.keeps?.sameTarget !== true
      if (input.target === 'production' && setsVariables && !(await mayEditProduction(owner, stores.teams)))
        throw productionIsClosed()
      const fresh = await checkAliases(stores.hosts, requested.alias ?? [], owner.id)
      const known = await stores.projects.byIdOrName(owner.id, input.project ?? requested.slug)
      if (known) checkReach(ctx, known.id)
      else checkMayAdd(ctx)
      if (!isDeepStrictEqual(known?.build ?? initialSettings(input), settings)) return undefined
      const command = aim(input, known)
      const regions = requested.regions ?? asked.regions ?? regionsOf(known) ?? [origin]
      if (ctx.actor.installation) await checkHosts(stores.hosts, ctx, requested.alias ?? [])
      const variables = variablesFor(known ? await stores.envVariables.list(known.id) : [], {
        target: command.target,
        meta: requested.meta,
        customEnvironment: command.environment,
      })
      const secrets = await parts.resolveSecrets(stores.secrets, owner.id, [
        ...secretsIn(requested.env, requested.buildEnv),
        ...secretIdsIn(variables),
      ])

      const digest = digestOf(
        fileHash,
        samenessOf(owner.id, command, requested, {
          project: known,
          settings,
          variables: versionOf(variables),
          regions,
        }),
      )
      // Of several that ask for the same at once, one makes it.
      if (!command.forceNew) await stores.locks.take('deployment', digest)
      const same = command.forceNew ? undefined : await stores.deployments.newestSame(owner.id, digest)
      if (same) {
        const remaining = same.incomplete ? await stores.deployments.missing(same.id) : []
        return { deployment: same, isNew: false, missing: remaining, totalSize, changed: [] }
      }

      await parts.quotas.check(owner, 'deployments', 1, stores)
      if (work.kind === 'build') await parts.quotas.check(owner, 'buildMinutes', 1, stores)
      if (!known) await parts.quotas.check(owner, 'projects', 1, stores)
      if (fresh > 0) await parts.quotas.check(owner, 'aliases', fresh, stores)
      const project = await ensureProject(stores, known, ctx, command, requested.slug, now)
      // Somebody else may have made it meanwhile, or changed it.
      if (!isDeepStrictEqual(project.build, settings)) return undefined
      const id = newId.deployment()
      const given = openVariables(variables, secrets, vault)
      const platform = skewVariables(project)
      const values: FrozenValues = {
        env: { ...platform, ...given.env, ...fillEnv(requested.env, secrets) },
        buildEnv: { ...platform, ...given.env, ...fillEnv(requested.buildEnv, secrets) },
        secrets: [...new Set([...secrets.values(), ...given.hidden, ...(command.keeps?.secrets ?? [])])],
        system: given.system,
        hidesSystem: !project.details.autoExposeSystemEnvs,
        ...(command.registryAuthToken === undefined ? {} : { registryAuthToken: command.registryAuthToken }),
      }
      const begun: Deployment = {
        ...begin(command, asked, now),
        createdAt: await afterOthers(stores.deployments, project, now),
        id,
        ownerId: owner.id,
        projectId: project.id,
        creatorId: ctx.actor.user.id,
        createdIn: origin,
        regions,
        plan: owner.plan,
        incomplete: missing.length > 0,
        digest,
      }
      const isPacked = manifest === gathered.manifest
      await stores.deployments.insert(begun, {
        ...(isPacked ? { manifest, packed } : { manifest }),
        sealedEnv: sealValues(vault, id, values),
      })
      if (begun.incomplete) return { deployment: begun, isNew: true, missing, totalSize, changed: [] }
      if (work.kind === 'files' && work.inPlace === undefined)
        await stores.outputs.save(id, filesOutput(work.plan, manifest))
      const published = await publish(stores, begun, { owner, project, names, now }, work)
      return { ...published, isNew: true, missing, totalSize }
    })
  }

  /** What a build would have said in the log. */
  async function tell(deployment: Deployment, work: Work): Promise<void> {
    const lines =
      work.kind === 'files'
        ? work.plan.warnings
        : work.kind === 'failed'
          ? [`Error: ${work.failure.message}`]
          : []
    const [run] = deployment.buildRuns
    if (lines.length === 0 || run === undefined) return
    const log = parts.logOf({ deploymentId: deployment.id, buildId: run.id, entrypoint: run.path })
    for (const line of lines) await log.stdout(line)
  }
}

const ATTEMPTS = 5

/** By which frameworks have their pages name the deployment that they came from. */
const skewVariables = ({ details }: Project): Readonly<Record<string, string>> =>
  (details.skewProtectionMaxAge ?? 0) > 0 ? { VERCEL_SKEW_PROTECTION_ENABLED: '1' } : {}

/** Where the functions of a project run unless a deployment says otherwise. */
function regionsOf(project: Project | undefined): readonly string[] | undefined {
  const named = regionsNamed(project?.details.serverlessFunctionRegion ?? '')
  return named.length > 0 ? named : undefined
}

/** Of a project that a deployment makes. */
const initialSettings = ({ newProject }: CreateDeployment): BuildSettings => ({
  ...DEFAULT_BUILD_SETTINGS,
  ...newProject,
  rootDirectory: readFolder('projectSettings.rootDirectory', newProject?.rootDirectory ?? null),
})

type Aimed = CreateDeployment & { readonly environment?: EnvironmentOfDeployment }

/** Finds the environment of the project that a request names. */
function aim(command: CreateDeployment, project: Project | undefined): Aimed {
  const { customEnvironment: wanted, ...rest } = command
  if (wanted === undefined) return command
  if (command.target !== undefined)
    throw invalidRequest('`target` and `customEnvironmentSlugOrId` can’t be combined')
  const found = findEnvironment(project?.details.customEnvironments ?? [], wanted)
  if (found) return { ...rest, environment: { id: found.id, slug: found.slug } }
  // Every project has this one, and clients know no other word for it.
  if (wanted === 'staging') return { ...rest, target: 'staging' }
  throw invalidRequest(`the project has no environment \`${wanted.slice(0, 64)}\`. Create it first`)
}

/** A request, and what was found out about its files. */
interface PreparedRequest extends Decision {
  readonly requested: DeploymentRequest
  readonly gathered: GatheredFiles
  /** The manifest of what was gathered. */
  readonly packed: PackedManifest
  readonly inline: Inline
  readonly fileHash: Hash
  readonly settings: BuildSettings
}

/** An application takes no name from a project that it was not given. */
async function checkHosts(hosts: HostStore, ctx: Context, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const holder = await hosts.holder(name)
    if (holder && holder.kind !== 'deployment' && holder.ownerId === ctx.owner.id)
      checkReach(ctx, holder.projectId)
  }
}

/** A deployment that knows nothing yet of its account. */
const begin = (command: Aimed, { requested, work, runs, settings }: PreparedRequest, now: number) => ({
  name: command.name,
  host: null,
  state: 'INITIALIZING' as const,
  stateAt: now,
  createdAt: now,
  readyAt: null,
  liveAt: null,
  public: command.public ?? false,
  target: command.target ?? null,
  ...(command.environment ? { customEnvironment: command.environment } : {}),
  meta: requested.meta,
  routes: requested.routes,
  builds: requested.builds,
  buildRuns: runs.map((run) => ({ ...run, readyState: 'INITIALIZING' as const, readyStateAt: now })),
  envKeys: [...requested.env.keys()],
  buildEnvKeys: [...requested.buildEnv.keys()],
  aliasWish: requested.alias,
  aliasFinal: [],
  aliasAssigned: false,
  aliasError: null,
  failure: null,
  type: command.type ?? (work.kind === 'build' ? ('NPM' as const) : ('STATIC' as const)),
  scale: { min: 0, max: command.type === undefined && work.kind === 'build' ? MAX_INSTANCES : 1 },
  sessionAffinity: command.sessionAffinity ?? ('random' as const),
  nodeVersion: command.nodeVersion ?? null,
  requestedType: command.type ?? null,
  settings,
  ...(work.kind === 'files' && work.plan.crons.length > 0 ? { crons: work.plan.crons } : {}),
})

const samenessOf = (
  ownerId: string,
  command: Aimed,
  requested: DeploymentRequest,
  {
    project,
    settings,
    variables,
    regions,
  }: {
    readonly project: Project | undefined
    readonly settings: BuildSettings
    readonly variables: readonly string[]
    readonly regions: readonly string[]
  },
): DigestInput => ({
  ownerId,
  // By its name, whichever way the request names it.
  project: project?.name ?? command.project ?? requested.slug,
  env: requested.env,
  buildEnv: requested.buildEnv,
  builds: requested.builds,
  routes: requested.routes,
  regions,
  public: command.public ?? false,
  target: command.environment?.id ?? command.target ?? null,
  alias: requested.alias,
  // After a change of the project's variables the same files make another deployment.
  ...(variables.length > 0 ? { variables } : {}),
  ...shapingSettings(settings, project?.details.autoExposeSystemEnvs === false),
  ...(branchOf(requested.meta) === undefined ? {} : { branch: branchOf(requested.meta) }),
  ...(command.type
    ? { other: { type: command.type, affinity: command.sessionAffinity, node: command.nodeVersion } }
    : {}),
})

/** The project's settings that shape what comes of the files, as far as they are not what every project begins with. */
function shapingSettings(build: BuildSettings, hidesSystem: boolean): Pick<DigestInput, 'settings'> {
  const settings: Record<string, unknown> = hidesSystem ? { hidesSystem } : {}
  for (const [key, value] of Object.entries(build))
    if (value !== DEFAULT_BUILD_SETTINGS[key as keyof BuildSettings]) settings[key] = value
  return Object.keys(settings).length > 0 ? { settings } : {}
}

/**
 * When a deployment of a locked project is made: after all others, also where the clock was ahead when they were made. By
 * this it is told which is newer. Each deployment has touched its project, which remembers the latest time: others are
 * looked for only where that is still to come.
 */
async function afterOthers(
  deployments: Pick<DeploymentStore, 'list'>,
  project: Project,
  now: number,
): Promise<number> {
  if (project.updatedAt <= now) return now
  const { items } = await deployments.list(project.ownerId, { limit: 1 }, { projectId: project.id })
  const [newest] = items
  return newest && newest.createdAt > now ? newest.createdAt + 1 : now
}

async function ensureProject(
  { projects, events }: CreateStores,
  known: Project | undefined,
  { owner, actor }: Context,
  command: CreateDeployment,
  slug: string,
  now: number,
): Promise<Project> {
  // One that is being deleted or given away at this moment is gone by the time it can be touched.
  const updatedAt = known !== undefined && (await projects.touch(owner.id, known.id, now))
  if (known && updatedAt !== false) {
    // Whoever was at it until then may have made its first deployment, by which it has its name.
    const first = known.defaultHost === null ? await projects.lock(owner.id, known.id) : undefined
    return { ...(first ?? known), updatedAt }
  }
  if (command.project !== undefined) throw unknownProject(command.project)
  const project = newProject(owner.id, slug, now, initialSettings(command))
  if (!(await projects.insert(project))) {
    // Several may have waited for the one who made it: they go on one after the other, as with any that is known.
    const made = await projects.lock(owner.id, slug)
    if (made) return made
    throw new AloftError('conflict', 'The project is being changed. Try again.')
  }
  await events.emit(projectEvent('project.created', project, { userId: actor.user.id, at: now }))
  return project
}
