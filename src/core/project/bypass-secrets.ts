import { AloftError } from '#contract/errors.ts'
import { newBypassSecret } from '#contract/ids.ts'
import type { Vault } from '../ports/vault.ts'
import { hashBearer } from '../token/token.ts'
import type { Project } from './project.ts'
import { type BypassSecret, bypassPurpose } from './project-details.ts'

/** What to do about the secrets that let programs pass; neither is a request for a new one. */
export interface BypassChange {
  readonly revoke?: { readonly secret: string; readonly regenerate: boolean } | undefined
  readonly generate?: { readonly secret?: string | undefined } | undefined
}

/** By the secret itself, as members see it. */
export type ShownBypass = Readonly<
  Record<
    string,
    { readonly createdAt: number; readonly createdBy: string; readonly scope: 'automation-bypass' }
  >
>

const MAX_SECRETS = 10

interface Circumstances {
  readonly vault: Vault
  readonly userId: string
  readonly now: number
}

/** The secrets of a project once a request is fulfilled, oldest first. */
export function changeBypass(
  { id, details }: Project,
  { revoke, generate }: BypassChange,
  { vault, userId, now }: Circumstances,
): readonly BypassSecret[] {
  let secrets = details.protectionBypass
  const add = (secret: string): void => {
    const hash = hashBearer(secret)
    if (secrets.some((one) => one.hash === hash))
      throw new AloftError('conflict', 'The project already has this secret.')
    if (secrets.length >= MAX_SECRETS)
      throw new AloftError('bad_request', `A project can have at most ${MAX_SECRETS} bypass secrets.`)
    const sealed = vault.seal(secret, bypassPurpose(id))
    secrets = [...secrets, { secret: sealed, hash, createdAt: now, createdBy: userId }]
  }
  if (revoke !== undefined) {
    const hash = hashBearer(revoke.secret)
    const kept = secrets.filter((one) => one.hash !== hash)
    if (kept.length === secrets.length) throw new AloftError('not_found', 'The project has no such secret.')
    secrets = kept
    if (revoke.regenerate) add(newBypassSecret())
  }
  if (generate !== undefined || revoke === undefined) add(generate?.secret ?? newBypassSecret())
  return secrets
}

export const showBypass = ({ id, details }: Project, vault: Vault): ShownBypass =>
  Object.fromEntries(
    details.protectionBypass.map(({ secret, createdAt, createdBy }) => [
      vault.open(secret, bypassPurpose(id)),
      { createdAt, createdBy, scope: 'automation-bypass' as const },
    ]),
  )
