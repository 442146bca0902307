import type { ReadyState } from '#contract/api/deployment.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import { newBearer, newBypassSecret } from '#contract/ids.ts'
import { amountOf } from '#contract/limit/quota-amount.ts'
import { DAY } from '#contract/time.ts'
import type { Context, Owner } from '../access/context.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { sealedFor } from '../env-variable/env-variable.ts'
import type { EnvVariableStore } from '../env-variable/env-variable-store.ts'
import type { FileStore, UploadedFile } from '../file/file-store.ts'
import { newBytes } from '../file/new-bytes.ts'
import type { RepositorySizeStore } from '../git/repository-sizes.ts'
import type { SourceStore } from '../git/source/source.ts'
import { contentsOf } from '../output/output.ts'
import type { OutputStore } from '../output/output-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Locks } from '../ports/locks.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import type { SecretStore } from '../secret/secret-store.ts'
import type { SecretValues } from '../secret/secret-values.ts'
import { hashBearer } from '../token/token.ts'
import { STORAGE_LOCK } from '../usage/content-room.ts'
import type { Quotas, UsageStores } from '../usage/quotas.ts'
import { unknownProject } from './find-project.ts'
import { hostsOf } from './hosts-of.ts'
import type { Project } from './project.ts'
import { isInTransfer } from './project-details.ts'
import { readProjectName } from './project-name.ts'
import type { ProjectStore } from './project-store.ts'

/** Projects that go from one account to another: one offers it under a code, the other takes it with that. */
export interface Transfers {
  /** The code is told once. An earlier one no longer counts. */
  offer(ctx: Context, idOrName: string): Promise<string>
  cancel(ctx: Context, idOrName: string): Promise<void>
  /** Takes a project over, under another name where one is given. */
  accept(ctx: Context, code: string, newName: string | undefined): Promise<Project>
}

interface TransferStores extends UsageStores {
  readonly projects: ProjectStore
  readonly deployments: DeploymentStore
  readonly outputs: OutputStore
  readonly files: FileStore
  readonly envVariables: EnvVariableStore
  readonly secrets: SecretStore
  readonly gitSizes: Pick<RepositorySizeStore, 'used' | 'ofProject'>
  readonly sources: Pick<SourceStore, 'find' | 'save'>
  readonly locks: Locks
}

interface TransferParts extends Omit<TransferStores, 'locks' | 'sources'> {
  readonly quotas: Pick<Quotas, 'limits' | 'check'>
  readonly transact: Transact<TransferStores>
  readonly resolveSecrets: SecretValues
  readonly vault: Vault
  readonly clock: Clock
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

const OFFERED = DAY
/** More than these are not copied while others wait for the transaction. */
const FEW = 20

/** Nothing is added to what it refers to. */
const isOver = (state: ReadyState): boolean => state === 'READY' || state === 'ERROR'

const ownersOnly = ({ owner }: Context): void => {
  if (owner.role !== 'OWNER') throw new AloftError('forbidden', 'Only an OWNER of the team can do this.')
}

export function createTransfers(parts: TransferParts): Transfers {
  const { transact, clock, vault } = parts

  async function offered(projects: ProjectStore, code: string): Promise<Project> {
    const project = await projects.byTransferHash(hashBearer(code))
    if (!project || !isInTransfer(project.details, clock.now()))
      throw new AloftError('not_found', 'There is no such transfer, or it has expired.')
    return project
  }

  /** What a deployment refers to becomes the other account's too: what no account has is not kept. */
  async function copyFiles(
    stores: Pick<TransferStores, 'deployments' | 'outputs' | 'files'>,
    deploymentId: string,
    { id: ownerId }: Owner,
    limit: number | null,
  ): Promise<void> {
    const files = await filesOf(stores, deploymentId)
    if (files.length > 0) await stores.files.share(ownerId, files, clock.now(), limit)
  }

  async function filesOf(
    stores: Pick<TransferStores, 'deployments' | 'outputs'>,
    deploymentId: string,
  ): Promise<readonly UploadedFile[]> {
    const uploaded = (await stores.deployments.manifest(deploymentId)).filter(({ sha256 }) => sha256 !== '')
    const output = await stores.outputs.find(deploymentId)
    const files: UploadedFile[] = [...uploaded, ...(output ? contentsOf(output) : [])]
    return files.map(({ sha1, sha256, size }) => ({ sha1, sha256, size }))
  }

  /** Throws `quota_exceeded` where an account would have more than it may of what is counted by number. */
  async function checkCounts(
    stores: UsageStores & Pick<TransferStores, 'projects'>,
    owner: Owner,
    project: Project,
    deployments: number,
  ) {
    const all = await stores.deployments.keptRunning()
    const kept = all.reduce(
      (sum, { projectId, scale }) => sum + (projectId === project.id ? scale.min : 0),
      0,
    )
    await parts.quotas.check(owner, 'projects', 1, stores)
    const taken = [
      ['deployments', deployments],
      ['keptInstances', kept],
      ['aliases', await stores.projects.countAliases(project.id)],
    ] as const
    for (const [name, more] of taken)
      if (more > 0)
        await parts.quotas.check(owner, name, more, stores, `The project has ${amountOf(name, more)}.`)
  }

  /**
   * The same of its storage, before anything is copied: what would be refused in the end is not to take the room of the account
   * meanwhile.
   */
  async function checkStorage(
    owner: Owner,
    project: Project,
    ids: readonly string[],
  ): Promise<number | null> {
    const { contentBytes: limit } = await parts.quotas.limits(owner)
    if (limit === null) return null
    const contents = new Map<string, UploadedFile>()
    for (const id of ids) for (const file of await filesOf(parts, id)) contents.set(file.sha1, file)
    const files = await newBytes(parts.files, owner.id, [...contents.values()], clock.now())
    const more = files + (await parts.gitSizes.ofProject(project.id))
    const hint = `The project would add ${amountOf('contentBytes', more)}.`
    if (more > 0) await parts.quotas.check(owner, 'contentBytes', more, parts, hint)
    return limit
  }

  /** Secrets stay with their account; the variables keep the values. */
  async function keepSecrets({ envVariables, secrets }: TransferStores, project: Project): Promise<void> {
    const variables = (await envVariables.list(project.id)).filter(({ type }) => type === 'secret')
    const known = await secrets.names(
      project.ownerId,
      variables.map(({ value }) => value),
    )
    const values = await parts.resolveSecrets(secrets, project.ownerId, [...known.keys()])
    for (const variable of variables) {
      const value = values.get(variable.value)
      if (value === undefined) await envVariables.delete(variable.id)
      else
        await envVariables.save({
          ...variable,
          type: 'encrypted',
          value: vault.seal(value, sealedFor(variable.id)),
          size: value.length,
        })
    }
  }

  /** What calls for its repository are known by. Who connects it anew is told the new ones. */
  async function renewHookSecrets(
    { sources, locks }: Pick<TransferStores, 'sources' | 'locks'>,
    { id }: Project,
  ): Promise<void> {
    await locks.take('git-source', id)
    const source = await sources.find(id)
    if (source)
      await sources.save({ ...source, hookSecret: newBypassSecret(), sealedWebhookSecret: null, hook: null })
  }

  return {
    offer(ctx, idOrName) {
      ownersOnly(ctx)
      const code = newBearer()
      return transact(async ({ projects }) => {
        const project = await projects.lock(ctx.owner.id, idOrName)
        if (!project) throw unknownProject(idOrName)
        const now = clock.now()
        const transfer = {
          startedAt: now,
          expiresAt: now + OFFERED,
          completedAt: null,
          toAccountId: null,
          fromAccountId: null,
        }
        await projects.update(project.id, { details: { ...project.details, transfer } }, now)
        await projects.setTransferHash(project.id, hashBearer(code))
        return code
      })
    },

    cancel(ctx, idOrName) {
      ownersOnly(ctx)
      return transact(async ({ projects }) => {
        const project = await projects.lock(ctx.owner.id, idOrName)
        if (!project) throw unknownProject(idOrName)
        if (project.details.transfer?.completedAt !== null)
          throw new AloftError('not_found', 'The project isn’t being transferred.')
        await projects.update(project.id, { details: { ...project.details, transfer: null } }, clock.now())
        await projects.setTransferHash(project.id, null)
      })
    },

    async accept(ctx, code, newName) {
      ownersOnly(ctx)
      const request = newName === undefined ? undefined : readProjectName(newName)
      const found = await offered(parts.projects, code)
      if (found.ownerId === ctx.owner.id) throw invalidRequest('the project already belongs to this account')
      const before = await parts.projects.states(found)
      const ids = [...before.keys()]
      await checkCounts(parts, ctx.owner, found, ids.length)
      const limit = await checkStorage(ctx.owner, found, ids)
      // Before the transaction, because there can be many: an account that has files it does not need loses nothing.
      const copied = new Set<string>()
      for (const [id, state] of before) {
        // What a build leaves behind may come while the others are copied.
        if (!isOver(state)) continue
        await copyFiles(parts, id, ctx.owner, limit)
        copied.add(id)
      }
      const { project, hosts } = await transact(async (stores) => {
        const offer = await offered(stores.projects, code)
        const current = await stores.projects.lock(offer.ownerId, offer.id)
        // Whoever had it locked before may have accepted, cancelled or replaced the offer.
        await offered(stores.projects, code)
        if (!current?.details.transfer) throw unknownProject(offer.id)
        const states = await stores.projects.states(current)
        const left = [...states.keys()].filter((id) => !copied.has(id))
        if (left.length > FEW || ![...states.values()].every(isOver))
          throw new AloftError(
            'conflict',
            'The project has builds in progress. Try again when they are finished.',
          )
        // Of two projects that are taken at the same time, the second is counted with the first.
        await stores.locks.take('transfer', ctx.owner.id)
        await checkCounts(stores, ctx.owner, current, states.size)
        for (const id of left) await copyFiles(stores, id, ctx.owner, limit)
        const repositories = await stores.gitSizes.ofProject(current.id)
        await stores.locks.take(STORAGE_LOCK, ctx.owner.id)
        if (repositories > 0) await parts.quotas.check(ctx.owner, 'contentBytes', repositories, stores)
        await keepSecrets(stores, current)
        const name = request ?? current.name
        if (!(await stores.projects.give(current, { ownerId: ctx.owner.id, name })))
          throw new AloftError('conflict', `There is already a project named \`${name}\`.`, { name })
        const now = clock.now()
        const transfer = {
          ...current.details.transfer,
          completedAt: now,
          toAccountId: ctx.owner.id,
          fromAccountId: current.ownerId,
        }
        // Whoever had the project knows these secrets.
        const details = { ...current.details, transfer, protectionBypass: [], deployHooks: [] }
        await renewHookSecrets(stores, current)
        await stores.projects.update(current.id, { details }, now)
        const given = await stores.projects.byIdOrName(ctx.owner.id, current.id)
        if (!given) throw unknownProject(current.id)
        return { project: given, hosts: await hostsOf(stores.projects, given) }
      })
      parts.onHostsChanged(hosts)
      return project
    },
  }
}
