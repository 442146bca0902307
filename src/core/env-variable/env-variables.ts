import { ENV_TARGETS } from '#contract/api/env-variable.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import type { Context } from '../access/context.ts'
import { checkReach, mayTouch } from '../access/reach.ts'
import { isEnvironmentId } from '../custom-environment/custom-environment.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import { unknownProject } from '../project/find-project.ts'
import type { Project } from '../project/project.ts'
import { isInTransfer } from '../project/project-details.ts'
import type { ProjectStore } from '../project/project-store.ts'
import type { SecretStore } from '../secret/secret-store.ts'
import { mayEditProduction } from '../team/production-right.ts'
import { type EnvVariable, environmentsOf, isSealed, placesOf, sealedFor } from './env-variable.ts'
import type { EnvVariableStore } from './env-variable-store.ts'
import { readVariable, type VariableRequest } from './read-variable.ts'
import { unknownVariable, type VariableStores, VariableWriting } from './variable-writing.ts'

export interface EnvVariables {
  list(ctx: Context, project: string): Promise<readonly EnvVariable[]>
  get(ctx: Context, project: string, id: string): Promise<EnvVariable>
  /** One that is in the way is an error, or gives way when `upsert` is said. */
  create(ctx: Context, project: string, requested: VariableRequest, upsert: boolean): Promise<EnvVariable>
  /** Each for itself: those that others are in the way of are told apart. */
  createAll(
    ctx: Context,
    project: string,
    requests: readonly VariableRequest[],
    upsert: boolean,
  ): Promise<CreatedVariables>
  update(ctx: Context, project: string, id: string, change: Partial<VariableRequest>): Promise<EnvVariable>
  /** Where an environment is given, none but a variable of that is removed. */
  remove(ctx: Context, project: string, id: string, customEnvironmentId?: string): Promise<EnvVariable>
  /** Those that come from secrets and are set everywhere: all that the first version knows. */
  secrets(ctx: Context, project: string): Promise<readonly SecretVariable[]>
  /** Sets these to secrets. With `only`, all others of this kind are removed. */
  setSecrets(
    ctx: Context,
    project: string,
    env: Readonly<Record<string, string>>,
    only: boolean,
  ): Promise<readonly SecretVariable[]>
  removeSecret(ctx: Context, project: string, key: string): Promise<readonly SecretVariable[]>
  /** The value as its owner may read it: empty for what is never told again. */
  reveal(variable: EnvVariable): string
  /** Copies for a new environment of a locked project of what is set in a place of it, in the same transaction. */
  copy(
    stores: VariableStores,
    ctx: Context,
    project: Project,
    places: { readonly from: string; readonly to: string },
  ): Promise<void>
  /** Takes everything from an environment that is being deleted; what was set nowhere else stays, or goes with it. */
  leave(
    stores: VariableStores,
    ctx: Context,
    project: Project,
    environmentId: string,
    options: { readonly deletes: boolean },
  ): Promise<void>
  /** Gives a project that is being made its first variables, in the same transaction. */
  begin(
    stores: VariableStores,
    ctx: Context,
    project: Project,
    requests: readonly VariableRequest[],
  ): Promise<void>
}

interface CreatedVariables {
  readonly created: readonly EnvVariable[]
  readonly failed: readonly AloftError[]
}

export interface SecretVariable {
  readonly variable: EnvVariable
  /** Of the secret; undefined when it was deleted. */
  readonly name: string | undefined
}

interface VariableParts {
  readonly projects: ProjectStore
  readonly store: EnvVariableStore
  readonly secrets: SecretStore
  readonly transact: Transact<VariableStores>
  readonly vault: Vault
  readonly clock: Clock
}

const isEverywhere = ({ type, target, gitBranch, customEnvironmentId }: EnvVariable): boolean =>
  type === 'secret' &&
  gitBranch === null &&
  customEnvironmentId === null &&
  ENV_TARGETS.every((name) => target.includes(name))

export function createEnvVariables(parts: VariableParts): EnvVariables {
  const { store, transact, vault, clock } = parts

  async function listVisible(ctx: Context, name: string): Promise<readonly EnvVariable[]> {
    const project = await parts.projects.byIdOrName(ctx.owner.id, name)
    if (!project) throw unknownProject(name)
    checkReach(ctx, project.id)
    const all = await store.list(project.id)
    return all.filter((variable) => mayTouch(ctx.actor, 'read', variable))
  }

  /** Runs changes of one project's variables after one another. */
  const write = <T>(ctx: Context, name: string, work: (writing: VariableWriting) => Promise<T>): Promise<T> =>
    transact(async (stores) => {
      const project = await stores.projects.lock(ctx.owner.id, name)
      if (!project) throw unknownProject(name)
      checkReach(ctx, project.id)
      if (isInTransfer(project.details, clock.now()))
        throw new AloftError(
          'conflict',
          'The project is being transferred, so its variables can’t be changed.',
        )
      return work(await open(stores, ctx, project))
    })

  const open = async (stores: VariableStores, ctx: Context, project: Project): Promise<VariableWriting> =>
    new VariableWriting(
      stores,
      { ctx, vault, now: clock.now() },
      {
        project,
        present: await stores.envVariables.list(project.id),
        mayEditProduction: await mayEditProduction(ctx.owner, stores.teams),
      },
    )

  const reveal = ({ id, type, value }: EnvVariable): string =>
    type === 'sensitive' ? '' : isSealed(type) ? vault.open(value, sealedFor(id)) : value

  const add = async (
    writing: VariableWriting,
    requested: VariableRequest,
    upsert: boolean,
  ): Promise<EnvVariable> => writing.put(await writing.make(readVariable(requested, writing.project)), upsert)

  async function withNames(
    ctx: Context,
    variables: readonly EnvVariable[],
  ): Promise<readonly SecretVariable[]> {
    const shown = variables.filter((one) => isEverywhere(one) && mayTouch(ctx.actor, 'read', one))
    const names = await parts.secrets.names(
      ctx.owner.id,
      shown.map(({ value }) => value),
    )
    return shown.map((variable) => ({ variable, name: names.get(variable.value) }))
  }

  return {
    list: listVisible,
    reveal,

    async get(ctx, project, id) {
      const found = (await listVisible(ctx, project)).find((variable) => variable.id === id)
      if (!found) throw unknownVariable(id)
      return found
    },

    create: (ctx, project, requested, upsert) =>
      write(ctx, project, (writing) => add(writing, requested, upsert)),

    createAll: (ctx, project, requests, upsert) =>
      write(ctx, project, async (writing) => {
        const created: EnvVariable[] = []
        const failed: AloftError[] = []
        for (const requested of requests) {
          try {
            created.push(await add(writing, requested, upsert))
          } catch (error) {
            if (!(error instanceof AloftError) || error.kind !== 'env_already_exists') throw error
            failed.push(error)
          }
        }
        return { created, failed }
      }),

    update: (ctx, project, id, change) =>
      write(ctx, project, async (writing) => {
        const before = writing.byId(id)
        writing.allow(before)
        const isKept = change.value === undefined
        if (isKept && before.type === 'sensitive' && (change.type ?? before.type) !== 'sensitive')
          throw invalidRequest('the `type` of a sensitive variable can’t be changed')
        if (isKept && before.type === 'secret' && (change.type ?? before.type) !== 'secret')
          throw invalidRequest(
            'the variable refers to a secret: to change its `type`, give its `value` as well',
          )
        const readable = isSealed(before.type) ? vault.open(before.value, sealedFor(id)) : before.value
        const { createdAt, createdBy, configurationId, ...made } = await writing.make(
          readVariable({ ...before, value: readable, ...moved(before, defined(change)) }, writing.project),
        )
        return writing.put(
          {
            ...made,
            id,
            createdAt: before.createdAt,
            createdBy: before.createdBy,
            configurationId: before.configurationId,
          },
          false,
        )
      }),

    remove: (ctx, project, id, customEnvironmentId) =>
      write(ctx, project, async (writing) => {
        const variable = writing.byId(id)
        if (customEnvironmentId !== undefined && !environmentsOf(variable).includes(customEnvironmentId))
          throw unknownVariable(id)
        await writing.delete(variable)
        return variable
      }),

    secrets: async (ctx, project) => withNames(ctx, await listVisible(ctx, project)),

    async setSecrets(ctx, project, env, only) {
      const present = await write(ctx, project, async (writing) => {
        for (const [key, value] of Object.entries(env)) {
          if (!value.startsWith('@')) throw invalidRequest('`value` should name a secret, as in `@<name>`')
          await add(writing, { key, value, type: 'secret', target: ENV_TARGETS }, true)
        }
        const others = only
          ? writing.present.filter(
              (one) => isEverywhere(one) && writing.mayChange(one) && !Object.hasOwn(env, one.key),
            )
          : []
        for (const other of others) await writing.delete(other)
        return writing.present
      })
      return withNames(ctx, present)
    },

    async removeSecret(ctx, project, key) {
      const present = await write(ctx, project, async (writing) => {
        const variable = writing.present.find(
          (one) => isEverywhere(one) && writing.mayChange(one) && one.key === key,
        )
        if (!variable) throw unknownVariable(key)
        await writing.delete(variable)
        return writing.present
      })
      return withNames(ctx, present)
    },

    async copy(stores, ctx, project, { from, to }) {
      const writing = await open(stores, ctx, project)
      const copied = writing.present.filter(
        (one) => one.gitBranch === null && placesOf(one).includes(from) && mayTouch(ctx.actor, 'read', one),
      )
      // Who may not change what production has could read it by what they deploy.
      writing.allow(...copied)
      for (const { value, id, type, key, comment } of copied) {
        const readable = isSealed(type) ? vault.open(value, sealedFor(id)) : value
        const place = { target: [to], gitBranch: null, customEnvironmentId: null }
        await writing.put(await writing.make({ key, type, comment, value: readable, ...place }), false)
      }
    },

    async leave(stores, ctx, project, environmentId, { deletes }) {
      const writing = await open(stores, ctx, project)
      for (const one of writing.present) {
        const places = placesOf(one)
        if (!places.includes(environmentId)) continue
        if (deletes && places.length === 1) await writing.delete(one)
        else await stores.envVariables.save({ ...one, ...without(one, environmentId) })
      }
    },

    async begin(stores, ctx, project, requests) {
      const writing = await open(stores, ctx, project)
      for (const requested of requests) await add(writing, requested, false)
    },
  }
}

/** Targets and environments are told apart: who changes only the one keeps the other. */
function moved(before: EnvVariable, change: Partial<VariableRequest>): Partial<VariableRequest> {
  const { target, customEnvironmentIds } = change
  if (target === undefined && customEnvironmentIds === undefined) return change
  const named =
    target === undefined ? before.target.filter((name) => !isEnvironmentId(name)) : [target].flat()
  const namesOne = customEnvironmentIds !== undefined || named.some(isEnvironmentId)
  return { ...change, target: namesOne ? named : [...named, ...before.target.filter(isEnvironmentId)] }
}

/** One that was for a single environment is set nowhere afterwards, not where it never was. */
const without = (
  one: EnvVariable,
  environmentId: string,
): Pick<EnvVariable, 'target' | 'customEnvironmentId'> => ({
  target: placesOf(one).filter((place) => place !== environmentId),
  customEnvironmentId: null,
})

/** What a change says; a key that is there without a value says nothing. */
const defined = (change: Partial<VariableRequest>): Partial<VariableRequest> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
