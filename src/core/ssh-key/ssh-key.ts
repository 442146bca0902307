import type { User } from '../user/user.ts'

/** A public key with which somebody signs in to push and fetch over SSH. */
export interface SshKey {
  readonly id: string
  readonly userId: string
  readonly name: string
  /** `SHA256:…`, as ssh-keygen and ssh show it. The same key is nobody else's. */
  readonly fingerprint: string
  /** As in a `.pub` file, without its comment. */
  readonly publicKey: string
  readonly createdAt: number
  /** When somebody last signed in with it, within a few minutes; null where nobody has. */
  readonly usedAt: number | null
}

export interface KeyHolder {
  readonly key: SshKey
  readonly user: User
}
