import type { KeyHolder, SshKey } from './ssh-key.ts'

export interface SshKeyStore {
  /** False where somebody has a key with this fingerprint: then nothing changed. */
  add(key: SshKey): Promise<boolean>
  /** All of a user, the newest first. They are few. */
  list(userId: string): Promise<readonly SshKey[]>
  find(fingerprint: string): Promise<KeyHolder | undefined>
  touch(id: string, usedAt: number): Promise<void>
  delete(userId: string, id: string): Promise<boolean>
}
