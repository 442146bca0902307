import ssh2, { type AuthContext } from 'ssh2'
import type { Actor } from '#core/access/context.ts'
import { fingerprintOf } from '#core/ssh-key/public-key.ts'
import type { SshKeys } from '#core/ssh-key/ssh-keys.ts'

/** The one name that everybody signs in with: who they are is told by their key. */
const USER = 'git'

interface Attempt {
  readonly actor: Actor
  /** Of the key. */
  readonly fingerprint: string
  readonly isProven: boolean
}

/** Whose key somebody shows, and whether they have proven that it is theirs. */
export async function readAttempt(
  keys: Pick<SshKeys, 'holder' | 'used'>,
  { username, method, key, hashAlgo, signature, blob }: AuthContext,
): Promise<Attempt | undefined> {
  if (method !== 'publickey' || username !== USER || key === undefined) return undefined
  // Signatures of RSA keys by SHA-1 can be forged.
  if (key.algo === 'ssh-rsa' && hashAlgo === undefined) return undefined
  const fingerprint = fingerprintOf(key.data)
  const actor = await keys.holder(fingerprint)
  if (!actor) return undefined
  if (signature === undefined || blob === undefined) return { actor, fingerprint, isProven: false }
  const shown = ssh2.utils.parseKey(key.data)
  if (shown instanceof Error || shown.verify(blob, signature, hashAlgo) !== true) return undefined
  await keys.used(fingerprint)
  return { actor, fingerprint, isProven: true }
}
