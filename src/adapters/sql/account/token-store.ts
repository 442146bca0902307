import { sql } from 'kysely'
import type { Token, TokenKind } from '#core/token/token.ts'
import type { TokenStore } from '#core/token/token-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { newestFirst, type PageRange, readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import { INSTALLATION, toInstallation } from '../integration/installation-row.ts'
import type { Db } from '../tables.ts'
import { toUser, USER } from './user-row.ts'

/** Named so that a user's columns can stand beside them. */
const TOKEN = [
  'tokens.id as token_id',
  'tokens.user_id',
  'tokens.name as token_name',
  'tokens.kind',
  'tokens.created_at as token_created_at',
  'tokens.active_at',
  'tokens.expires_at',
  'tokens.installation_id',
] as const

interface TokenRow {
  readonly token_id: string
  readonly user_id: string
  readonly token_name: string
  readonly kind: TokenKind
  readonly token_created_at: number
  readonly active_at: number
  readonly expires_at: number | null
  readonly installation_id: string | null
}

const toToken = (row: TokenRow): Token => ({
  id: row.token_id,
  userId: row.user_id,
  name: row.token_name,
  kind: row.kind,
  createdAt: row.token_created_at,
  activeAt: row.active_at,
  expiresAt: row.expires_at,
  installationId: row.installation_id,
})

const selectByHash = prepare<{ hash: string }>()((db, { hash }) =>
  db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(TOKEN)
    .select(USER)
    .where('tokens.hash', '=', hash),
)
const selectInstallation = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('installations').select(INSTALLATION).where('id', '=', id),
)
const selectById = prepare<{ id: string; userId: string }>()((db, { id, userId }) =>
  db.selectFrom('tokens').select(TOKEN).where('id', '=', id).where('user_id', '=', userId),
)
const selectTokensOf = prepare<{ userId: string } & PageRange>()((db, range) =>
  newestFirst(db.selectFrom('tokens').select(TOKEN).where('user_id', '=', range.userId), range),
)

export function createTokenStore(db: Db): TokenStore {
  return {
    async insert(token, hash) {
      await db
        .insertInto('tokens')
        .values({
          id: token.id,
          hash,
          user_id: token.userId,
          name: token.name,
          kind: token.kind,
          created_at: token.createdAt,
          active_at: token.activeAt,
          expires_at: token.expiresAt,
          installation_id: token.installationId,
        })
        .execute()
    },

    async byHash(hash) {
      const [row] = await selectByHash(db, { hash })
      if (!row) return undefined
      const found = { token: toToken(row), user: toUser(row) }
      if (row.installation_id === null) return found
      // Looked at anew for each request, so that what was taken away or switched off stops at once.
      const [installation] = await selectInstallation(db, { id: row.installation_id })
      return installation && { ...found, installation: toInstallation(installation) }
    },

    async byId(userId, id) {
      const [row] = await selectById(db, { id, userId })
      return row && toToken(row)
    },

    list: (userId, page) =>
      readPage(page, {
        select: (range) => selectTokensOf(db, { userId, ...range }),
        timeOf: (row) => row.token_created_at,
        show: toToken,
      }),

    async touch(id, activeAt) {
      // Processes touch side by side; the latest time stays.
      await db
        .updateTable('tokens')
        .set({ active_at: activeAt })
        .where('id', '=', id)
        .where('active_at', '<', activeAt)
        .execute()
    },

    delete: (userId, id) =>
      changedOne(db.deleteFrom('tokens').where('id', '=', id).where('user_id', '=', userId)),

    async keep(installationId, most) {
      const rows = await db
        .selectFrom('tokens')
        .select(['id', 'active_at'])
        .where('installation_id', '=', installationId)
        .execute()
      const gone = rows.toSorted((a, b) => b.active_at - a.active_at || (a.id < b.id ? -1 : 1)).slice(most)
      for (const { id } of gone) await db.deleteFrom('tokens').where('id', '=', id).execute()
    },

    async prune(now, usedSince) {
      await db.deleteFrom('tokens').where('expires_at', '<=', now).execute()
      await db
        .deleteFrom('tokens')
        // In the words of the index.
        .where('kind', '=', sql.lit('login'))
        .where('active_at', '<=', usedSince)
        .execute()
    },

    async handOver(installationId, userId) {
      await db
        .updateTable('tokens')
        .set({ user_id: userId })
        .where('installation_id', '=', installationId)
        .execute()
    },
  }
}
