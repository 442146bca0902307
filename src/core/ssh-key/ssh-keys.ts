import { AloftError, noSuch } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import type { Actor, Context } from '../access/context.ts'
import type { Clock } from '../ports/clock.ts'
import type { Locks } from '../ports/locks.ts'
import type { Transact } from '../ports/transact.ts'
import { ACTIVITY_STEP } from '../token/token.ts'
import { readPublicKey } from './public-key.ts'
import type { SshKey } from './ssh-key.ts'
import type { SshKeyStore } from './ssh-key-store.ts'

export interface SshKeys {
  list(ctx: Context): Promise<readonly SshKey[]>
  add(ctx: Context, command: { readonly name?: string; readonly publicKey: string }): Promise<SshKey>
  /** Answers the one that it was. */
  remove(ctx: Context, id: string): Promise<SshKey>
  /** Whose key this is. That whoever shows it has its private half is for the caller to find out. */
  holder(fingerprint: string): Promise<Actor | undefined>
  /** Somebody has signed in with it. */
  used(fingerprint: string): Promise<void>
}

const MAX_KEYS = 50
const MAX_NAME = 100

export function createSshKeys({
  store,
  transact,
  clock,
}: {
  readonly store: SshKeyStore
  readonly transact: Transact<{ readonly sshKeys: SshKeyStore; readonly locks: Locks }>
  readonly clock: Clock
}): SshKeys {
  return {
    list: (ctx) => store.list(ctx.actor.user.id),

    add(ctx, { name, publicKey }) {
      const { fingerprint, text, comment } = readPublicKey(publicKey)
      const userId = ctx.actor.user.id
      const given = (name?.trim() || comment || 'key').slice(0, MAX_NAME)
      return transact(async ({ sshKeys, locks }) => {
        await locks.take('ssh-keys', userId)
        if ((await sshKeys.list(userId)).length >= MAX_KEYS)
          throw new AloftError('bad_request', `You can have at most ${MAX_KEYS} SSH keys.`)
        const key: SshKey = {
          id: newId.sshKey(),
          ...{ userId, name: given, fingerprint, publicKey: text },
          createdAt: clock.now(),
          usedAt: null,
        }
        if (!(await sshKeys.add(key)))
          throw new AloftError('conflict', 'This SSH key is already in use, by you or by someone else.')
        return key
      })
    },

    remove: (ctx, id) =>
      transact(async ({ sshKeys }) => {
        const userId = ctx.actor.user.id
        const key = (await sshKeys.list(userId)).find((one) => one.id === id)
        if (!key || !(await sshKeys.delete(userId, id))) throw noSuch('SSH key', id, 'You have')
        return key
      }),

    async holder(fingerprint) {
      const found = await store.find(fingerprint)
      if (!found) return undefined
      const { key, user } = found
      const { id, name, createdAt, usedAt } = key
      return {
        user,
        token: {
          ...{ id, name, createdAt, userId: user.id, kind: 'account' },
          activeAt: usedAt ?? createdAt,
          expiresAt: null,
          installationId: null,
        },
      }
    },

    async used(fingerprint) {
      const found = await store.find(fingerprint)
      const now = clock.now()
      if (found && now - (found.key.usedAt ?? 0) >= ACTIVITY_STEP) await store.touch(found.key.id, now)
    },
  }
}
