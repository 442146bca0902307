import type { Selectable } from 'kysely'
import type { Login } from '#core/login/login.ts'
import type { LoginStore } from '#core/login/login-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { prepare } from '../database/prepare.ts'
import type { Db, Tables } from '../tables.ts'

const LOGIN = [
  'id',
  'email',
  'token_name',
  'security_code',
  'ip',
  'user_agent',
  'created_at',
  'expires_at',
  'accepted_at',
  'link_hash',
] as const

/** In the place of the hash of a link, which is unique and never absent. */
const NO_LINK = 'none:'

const toLogin = (row: Pick<Selectable<Tables['logins']>, (typeof LOGIN)[number]>): Login => ({
  id: row.id,
  email: row.email,
  tokenName: row.token_name,
  securityCode: row.security_code,
  ip: row.ip,
  userAgent: row.user_agent,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  acceptedAt: row.accepted_at,
  hasMail: !row.link_hash.startsWith(NO_LINK),
})

const selectByPoll = prepare<{ hash: string }>()((db, { hash }) =>
  db.selectFrom('logins').select(LOGIN).where('poll_hash', '=', hash),
)
const selectByLink = prepare<{ hash: string }>()((db, { hash }) =>
  db.selectFrom('logins').select(LOGIN).where('link_hash', '=', hash),
)

export function createLoginStore(db: Db): LoginStore {
  return {
    async insert(login, hashes) {
      await db
        .insertInto('logins')
        .values({
          id: login.id,
          poll_hash: hashes.poll,
          link_hash: hashes.link ?? `${NO_LINK}${login.id}`,
          email: login.email,
          token_name: login.tokenName,
          security_code: login.securityCode,
          ip: login.ip,
          user_agent: login.userAgent,
          created_at: login.createdAt,
          expires_at: login.expiresAt,
          accepted_at: login.acceptedAt,
        })
        .execute()
    },

    async byPoll(hash) {
      const [row] = await selectByPoll(db, { hash })
      return row && toLogin(row)
    },

    async byLink(hash) {
      const [row] = await selectByLink(db, { hash })
      return row && toLogin(row)
    },

    async waiting(email, at) {
      const rows = await db
        .selectFrom('logins')
        .select(LOGIN)
        .where('email', '=', email)
        .where('expires_at', '>', at)
        .where('accepted_at', 'is', null)
        .execute()
      return rows.map(toLogin)
    },

    accept: (id, acceptedAt) =>
      changedOne(
        db
          .updateTable('logins')
          .set({ accepted_at: acceptedAt })
          .where('id', '=', id)
          .where('accepted_at', 'is', null),
      ),

    take: (id) => changedOne(db.deleteFrom('logins').where('id', '=', id)),

    async deleteExpired(before) {
      const { numDeletedRows } = await db
        .deleteFrom('logins')
        .where('expires_at', '<', before)
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}
