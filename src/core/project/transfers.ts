import { AloftError } from '#contract/errors.ts'
import { newBearer } from '#contract/ids.ts'
import { DAY } from '#contract/time.ts'
import type { Context } from '../access/context.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { SecretValues } from '../deployment/secret-values.ts'
import { sealedFor } from '../env-variable/env-variable.ts'
import type { EnvVariableStore } from '../env-variable/env-variable-store.ts'
import type { FileStore, UploadedFile } from '../file/file-store.ts'
import { contentsOf } from '../output/output.ts'
import type { OutputStore } from '../output/output-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import type { SecretStore } from '../secret/secret-store.ts'
import { hashBearer } from '../token/token.ts'
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

interface TransferStores {
  readonly projects: ProjectStore
  readonly deployments: DeploymentStore
  readonly outputs: OutputStore
  readonly files: FileStore
  readonly envVariables: EnvVariableStore
  readonly secrets: SecretStore
}

interface TransferParts extends TransferStores {
  readonly transact: Transact<TransferStores>
  readonly resolveSecrets: SecretValues
  readonly vault: Vault
  readonly clock: Clock
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

const OFFERED = DAY
/** More than these are not copied while others wait for the transaction. */
const FEW = 20

const unknown = (idOrName: string) =>
  new AloftError('not_found', `There is no project \`${idOrName.slice(0, 100)}\`.`)

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
    ownerId: string,
  ): Promise<void> {
    const uploaded = (await stores.deployments.manifest(deploymentId)).filter(({ sha256 }) => sha256 !== '')
    const output = await stores.outputs.find(deploymentId)
    const files: UploadedFile[] = [...uploaded, ...(output ? contentsOf(output) : [])]
    const bare = files.map(({ sha1, sha256, size }) => ({ sha1, sha256, size }))
    if (bare.length > 0) await stores.files.share(ownerId, bare, clock.now())
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

  return {
    offer(ctx, idOrName) {
      ownersOnly(ctx)
      const code = newBearer()
      return transact(async ({ projects }) => {
        const project = await projects.lock(ctx.owner.id, idOrName)
        if (!project) throw unknown(idOrName)
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
        if (!project) throw unknown(idOrName)
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
      if (found.ownerId === ctx.owner.id)
        throw new AloftError('bad_request', 'Invalid request: the project already belongs to this account.')
      // Before the transaction, because there can be many: an account that has files it does not need loses nothing.
      const copied = new Set<string>()
      for (const id of (await parts.projects.states(found)).keys()) {
        await copyFiles(parts, id, ctx.owner.id)
        copied.add(id)
      }
      const { project, hosts } = await transact(async (stores) => {
        const offer = await offered(stores.projects, code)
        const current = await stores.projects.lock(offer.ownerId, offer.id)
        if (!current?.details.transfer) throw unknown(offer.id)
        const states = await stores.projects.states(current)
        const left = [...states.keys()].filter((id) => !copied.has(id))
        if (left.length > FEW || [...states.values()].some((state) => state !== 'READY' && state !== 'ERROR'))
          throw new AloftError(
            'conflict',
            'The project has builds in progress. Try again when they are finished.',
          )
        for (const id of left) await copyFiles(stores, id, ctx.owner.id)
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
        const details = { ...current.details, transfer, protectionBypass: [] }
        await stores.projects.update(current.id, { details }, now)
        const given = await stores.projects.byIdOrName(ctx.owner.id, current.id)
        if (!given) throw unknown(current.id)
        return { project: given, hosts: await hostsOf(stores.projects, given) }
      })
      parts.onHostsChanged(hosts)
      return project
    },
  }
}
