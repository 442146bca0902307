import { AloftError, noSuch } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import type { EnvVariableStore } from '../env-variable/env-variable-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import { mayEditProduction } from '../team/production-right.ts'
import type { TeamStore } from '../team/team-store.ts'
import type { Quotas, UsageStores } from '../usage/quotas.ts'
import {
  isSecretId,
  isSecretName,
  readSecretName,
  readSecretValue,
  type Secret,
  sealedFor,
} from './secret.ts'
import type { SecretStore } from './secret-store.ts'

export interface Renamed {
  readonly secret: Secret
  readonly oldName: string
}

/** Secrets are found by id or name. The id comes first: nobody can take it over with a name that looks like it. */
export interface Secrets {
  create(ctx: Context, command: { readonly name: string; readonly value: string }): Promise<Secret>
  list(ctx: Context, page: PageQuery): Promise<Page<Secret>>
  rename(ctx: Context, idOrName: string, name: string): Promise<Renamed>
  delete(ctx: Context, idOrName: string): Promise<Secret>
}

interface SecretStores {
  readonly secrets: SecretStore
  readonly envVariables: Pick<EnvVariableStore, 'ofSecret'>
  readonly teams: Pick<TeamStore, 'byId'>
}

interface SecretParts {
  readonly store: SecretStore
  readonly transact: Transact<SecretStores & UsageStores>
  readonly quotas: Pick<Quotas, 'check'>
  readonly vault: Vault
  readonly clock: Clock
}

export function createSecrets({ store, transact, quotas, vault, clock }: SecretParts): Secrets {
  async function locked(secrets: SecretStore, { owner }: Context, idOrName: string): Promise<Secret> {
    const byId = isSecretId(idOrName) ? await secrets.lock(owner.id, { id: idOrName }) : undefined
    const found =
      byId ?? (isSecretName(idOrName) ? await secrets.lock(owner.id, { name: idOrName }) : undefined)
    if (!found) throw noSuch('secret', idOrName)
    return found
  }

  async function nameTaken(secrets: SecretStore, { owner }: Context, name: string): Promise<AloftError> {
    const holder = await secrets.byName(owner.id, name)
    return new AloftError('secret_already_exists', `There is already a secret named \`${name}\`.`, {
      name,
      uid: holder?.id,
    })
  }

  /** Without the secret, its variables would be left out of what is deployed next. */
  async function checkProduction(
    { envVariables, teams }: SecretStores,
    { owner }: Context,
    { id }: Secret,
  ): Promise<void> {
    if (await mayEditProduction(owner, teams)) return
    const variables = await envVariables.ofSecret(owner.id, id)
    if (variables.some(({ target }) => target.includes('production')))
      throw new AloftError(
        'forbidden',
        'A production variable refers to the secret, and in this team only an OWNER can change those.',
      )
  }

  return {
    create(ctx, command) {
      const secret: Secret = {
        id: newId.secret(),
        ownerId: ctx.owner.id,
        name: readSecretName(command.name),
        creatorId: ctx.actor.user.id,
        createdAt: clock.now(),
      }
      const sealed = vault.seal(readSecretValue(command.value), sealedFor(secret.id))
      return transact(async (stores) => {
        const { secrets } = stores
        await quotas.check(ctx.owner, 'secrets', 1, stores)
        if (!(await secrets.insert(secret, sealed))) throw await nameTaken(secrets, ctx, secret.name)
        return secret
      })
    },

    list: (ctx, page) => store.list(ctx.owner.id, page),

    rename(ctx, idOrName, text) {
      const name = readSecretName(text)
      return transact(async ({ secrets }) => {
        const secret = await locked(secrets, ctx, idOrName)
        if (!(await secrets.rename(ctx.owner.id, secret.id, name))) throw await nameTaken(secrets, ctx, name)
        return { secret: { ...secret, name }, oldName: secret.name }
      })
    },

    delete: (ctx, idOrName) =>
      transact(async (stores) => {
        const { secrets } = stores
        const secret = await locked(secrets, ctx, idOrName)
        await checkProduction(stores, ctx, secret)
        await secrets.delete(ctx.owner.id, secret.id)
        return secret
      }),
  }
}
