import type { Vault } from '../ports/vault.ts'
import { isSecretName, sealedFor } from './secret.ts'
import type { SecretStore } from './secret-store.ts'

type ResolvedSecret =
  | { readonly kind: 'found'; readonly uid: string; readonly value: string }
  | { readonly kind: 'missing' }
  /** It exists and belongs to another account. */
  | { readonly kind: 'forbidden' }

/**
 * The values that references stand for in an account, by reference; every reference gets an answer.
 * A reference is a uid or a name without its `@`. The store may be that of a transaction.
 */
export type ResolveSecrets = (
  secrets: SecretStore,
  ownerId: string,
  references: readonly string[],
) => Promise<ReadonlyMap<string, ResolvedSecret>>

export const createResolveSecrets =
  (vault: Vault): ResolveSecrets =>
  async (secrets, ownerId, references) => {
    // What no secret can be called is not worth asking for, and could be text that a database refuses.
    const possible = new Set(references.filter(isSecretName))
    const known = await secrets.resolve(ownerId, [...possible])
    return new Map(
      references.map((reference): [string, ResolvedSecret] => {
        const secret = known.get(reference)
        if (secret === undefined) return [reference, { kind: 'missing' }]
        if (secret === 'foreign') return [reference, { kind: 'forbidden' }]
        const value = vault.open(secret.sealed, sealedFor(secret.id))
        return [reference, { kind: 'found', uid: secret.id, value }]
      }),
    )
  }
