import { showLimit } from '#contract/amounts.ts'
import { MOST_VARIABLES } from '#contract/api/env-variable.ts'
import { AloftError, invalidRequest, noSuch } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import type { Context } from '../access/context.ts'
import { mayTouch } from '../access/reach.ts'
import type { Vault } from '../ports/vault.ts'
import type { Project } from '../project/project.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { isSecretName } from '../secret/secret.ts'
import type { SecretStore } from '../secret/secret-store.ts'
import { productionIsClosed } from '../team/production-right.ts'
import type { TeamStore } from '../team/team-store.ts'
import { type EnvVariable, isSealed, sealedFor } from './env-variable.ts'
import type { EnvVariableStore } from './env-variable-store.ts'
import { alreadyExists, inTheWay, placeVariable } from './place-variable.ts'
import type { CheckedVariable } from './read-variable.ts'

export interface VariableStores {
  readonly projects: ProjectStore
  readonly envVariables: EnvVariableStore
  readonly secrets: SecretStore
  readonly teams: TeamStore
}

/** Of all values together: every deployment is given them. */
const MAX_SIZE = 1024 * 1024

export const unknownVariable = (id: string) => noSuch('variable', id, 'The project has')

/** A project that is locked, with its variables and what its caller may do. */
export class VariableWriting {
  readonly #stores: VariableStores
  readonly #ctx: Context
  readonly #vault: Vault
  readonly #now: number
  readonly project: Project
  readonly #mayEditProduction: boolean
  present: readonly EnvVariable[]

  constructor(
    stores: VariableStores,
    { ctx, vault, now }: { readonly ctx: Context; readonly vault: Vault; readonly now: number },
    found: {
      readonly project: Project
      readonly present: readonly EnvVariable[]
      readonly mayEditProduction: boolean
    },
  ) {
    this.#stores = stores
    this.#ctx = ctx
    this.#vault = vault
    this.#now = now
    this.project = found.project
    this.present = found.present
    this.#mayEditProduction = found.mayEditProduction
  }

  allow(...variables: readonly Pick<EnvVariable, 'target'>[]): void {
    if (this.#mayEditProduction || !variables.some(({ target }) => target.includes('production'))) return
    throw productionIsClosed()
  }

  /** An application without the wider scope changes none but its own. */
  mayChange(variable: EnvVariable): boolean {
    return mayTouch(this.#ctx.actor, 'read-write', variable)
  }

  byId(id: string): EnvVariable {
    const found = this.present.find((variable) => variable.id === id && this.mayChange(variable))
    if (!found) throw unknownVariable(id)
    return found
  }

  /** A variable that is not stored yet, under an id of its own. */
  async make(checked: CheckedVariable): Promise<EnvVariable> {
    const userId = this.#ctx.actor.user.id
    const { value, ...rest } = checked
    const variable: EnvVariable = {
      ...rest,
      id: newId.envVariable(),
      projectId: this.project.id,
      value: checked.type === 'secret' ? await this.#secret(value) : value,
      size: value.length,
      configurationId: this.#ctx.actor.installation?.id ?? null,
      createdAt: this.#now,
      createdBy: userId,
      updatedAt: this.#now,
      updatedBy: userId,
    }
    return variable
  }

  async #secret(reference: string): Promise<string> {
    const bare = reference.replace(/^@/, '')
    const found = isSecretName(bare)
      ? (await this.#stores.secrets.resolve(this.#ctx.owner.id, [bare])).get(bare)
      : undefined
    if (found === 'foreign')
      throw new AloftError('env_secret_forbidden', 'The secret belongs to another account.', {
        uid: reference.slice(0, 200),
      })
    if (found === undefined)
      throw new AloftError('env_secret_missing', 'There is no such secret.', { uid: reference.slice(0, 200) })
    return found.id
  }

  /** Stores a variable whose value is still readable, in the place of those that are in its way. */
  async put(variable: EnvVariable, upsert: boolean): Promise<EnvVariable> {
    this.allow(variable)
    const replaced = inTheWay(this.present, variable)
    const [blocking] = replaced
    if (blocking && !upsert) throw alreadyExists(blocking)
    // One of them may be production's as well, and would be lost there.
    this.allow(...replaced)
    if (!replaced.every((other) => this.mayChange(other)))
      throw new AloftError(
        'forbidden',
        'The application can change only its own variables, and a variable of that name already exists.',
      )
    const { saved, cut, deleted } = placeVariable(this.present, variable)
    this.#keepSensitive(saved)
    for (const other of deleted) await this.delete(other)
    for (const other of cut) await this.#save(other)
    return this.#save(this.#sealed(saved))
  }

  #keepSensitive(variable: EnvVariable): void {
    const before = this.present.find(({ id }) => id === variable.id)
    if (before?.type === 'sensitive' && variable.type !== 'sensitive')
      throw invalidRequest('the `type` of a sensitive variable can’t be changed')
  }

  #sealed(variable: EnvVariable): EnvVariable {
    if (!isSealed(variable.type)) return variable
    return { ...variable, value: this.#vault.seal(variable.value, sealedFor(variable.id)) }
  }

  async #save(variable: EnvVariable): Promise<EnvVariable> {
    const others = this.present.filter(({ id }) => id !== variable.id)
    if (others.length >= MOST_VARIABLES)
      throw invalidRequest(`a project has at most ${MOST_VARIABLES} variables`)
    if (others.reduce((sum, { size }) => sum + size, variable.size) > MAX_SIZE)
      throw invalidRequest(`the values of all variables together exceed ${showLimit(MAX_SIZE)}`)
    await this.#stores.envVariables.save(variable)
    this.present = [variable, ...others]
    return variable
  }

  async delete(variable: EnvVariable): Promise<void> {
    this.allow(variable)
    await this.#stores.envVariables.delete(variable.id)
    this.present = this.present.filter(({ id }) => id !== variable.id)
  }
}
