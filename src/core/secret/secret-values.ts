import { AloftError } from '#contract/errors.ts'
import type { ResolveSecrets } from './resolve-secrets.ts'
import type { SecretStore } from './secret-store.ts'

export type SecretValues = (
  secrets: SecretStore,
  ownerId: string,
  references: readonly string[],
) => Promise<ReadonlyMap<string, string>>

/** The values behind `@name` and uids, by the reference as it was given; throws for the first that cannot be had. */
export const createSecretValues =
  (resolve: ResolveSecrets): SecretValues =>
  async (secrets, ownerId, references) => {
    if (references.length === 0) return new Map()
    const bare = (reference: string) => reference.replace(/^@/, '')
    const found = await resolve(secrets, ownerId, references.map(bare))
    const kindOf = (reference: string) => found.get(bare(reference))?.kind
    const forbidden = references.find((reference) => kindOf(reference) === 'forbidden')
    if (forbidden !== undefined)
      throw new AloftError('env_secret_forbidden', `The secret ${forbidden} belongs to another account.`, {
        uid: forbidden,
      })
    const missing = references.find((reference) => kindOf(reference) !== 'found')
    if (missing !== undefined)
      throw new AloftError('env_secret_missing', `There is no secret ${missing}.`, { uid: missing })
    return new Map(
      references.map((reference) => {
        const secret = found.get(bare(reference))
        return [reference, secret?.kind === 'found' ? secret.value : '']
      }),
    )
  }
