import type { SshKey } from '#core/ssh-key/ssh-key.ts'
import type { SshKeyStore } from '#core/ssh-key/ssh-key-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'
import { toUser, USER } from './user-row.ts'

/** Named so that a user's columns can stand beside them. */
const KEY = [
  'ssh_keys.id as key_id',
  'ssh_keys.user_id',
  'ssh_keys.name as key_name',
  'ssh_keys.fingerprint',
  'ssh_keys.public_key',
  'ssh_keys.created_at as key_created_at',
  'ssh_keys.used_at',
] as const

interface KeyRow {
  readonly key_id: string
  readonly user_id: string
  readonly key_name: string
  readonly fingerprint: string
  readonly public_key: string
  readonly key_created_at: number
  readonly used_at: number | null
}

const toKey = (row: KeyRow): SshKey => ({
  id: row.key_id,
  userId: row.user_id,
  name: row.key_name,
  fingerprint: row.fingerprint,
  publicKey: row.public_key,
  createdAt: row.key_created_at,
  usedAt: row.used_at,
})

const selectByFingerprint = prepare<{ fingerprint: string }>()((db, { fingerprint }) =>
  db
    .selectFrom('ssh_keys')
    .innerJoin('users', 'users.id', 'ssh_keys.user_id')
    .select(KEY)
    .select(USER)
    .where('ssh_keys.fingerprint', '=', fingerprint),
)

export const createSshKeyStore = (db: Db): SshKeyStore => ({
  async add({ id, userId, name, fingerprint, publicKey, createdAt, usedAt }) {
    return changedOne(
      db
        .insertInto('ssh_keys')
        .values({
          ...{ id, user_id: userId, name, fingerprint, public_key: publicKey },
          ...{ created_at: createdAt, used_at: usedAt },
        })
        .onConflict((conflict) => conflict.column('fingerprint').doNothing()),
    )
  },

  async list(userId) {
    const rows = await db
      .selectFrom('ssh_keys')
      .select(KEY)
      .where('user_id', '=', userId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute()
    return rows.map(toKey)
  },

  async find(fingerprint) {
    const [row] = await selectByFingerprint(db, { fingerprint })
    return row && { key: toKey(row), user: toUser(row) }
  },

  async touch(id, usedAt) {
    await db.updateTable('ssh_keys').set({ used_at: usedAt }).where('id', '=', id).execute()
  },

  delete: (userId, id) =>
    changedOne(db.deleteFrom('ssh_keys').where('id', '=', id).where('user_id', '=', userId)),
})
