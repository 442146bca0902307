import { sql } from 'kysely'
import type { User } from '#core/user/user.ts'
import type { UserStore } from '#core/user/user-store.ts'
import { flag, hasColumns } from '../database/columns.ts'
import { prepare } from '../database/prepare.ts'
import { atomically } from '../database/transaction.ts'
import type { Db } from '../tables.ts'
import { freeHandle, takeHandle } from './handles.ts'
import { toUser, USER } from './user-row.ts'

const selectById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('users').select(USER).where('id', '=', id),
)
const selectByEmail = prepare<{ email: string }>()((db, { email }) =>
  db.selectFrom('users').select(USER).where('email', '=', email),
)
const selectByUsername = prepare<{ username: string }>()((db, { username }) =>
  db.selectFrom('users').select(USER).where('username', '=', username),
)

export function createUserStore(db: Db): UserStore {
  const byId = async (id: string): Promise<User | undefined> => {
    const [row] = await selectById(db, { id })
    return row && toUser(row)
  }

  return {
    byId,

    insert: (user) =>
      atomically(db, async (tx) => {
        if (!(await takeHandle(tx, user.username, user.id))) return false
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto('users')
          .values({
            id: user.id,
            email: user.email,
            username: user.username,
            name: user.name,
            avatar: user.avatar,
            plan: user.plan,
            soft_blocked: flag(user.softBlocked),
            operator: flag(user.operator),
            created_at: user.createdAt,
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow()
        if (numInsertedOrUpdatedRows === 1n) return true
        // The caller's transaction goes on, so the name has to be given back here.
        await freeHandle(tx, user.username)
        return false
      }),

    async byEmail(email) {
      const [row] = await selectByEmail(db, { email })
      return row && toUser(row)
    },

    async byUsername(username) {
      const [row] = await selectByUsername(db, { username })
      return row && toUser(row)
    },

    async update(id, { plan, softBlocked, operator }) {
      const columns = { plan, soft_blocked: flag(softBlocked), operator: flag(operator) }
      if (!hasColumns(columns)) return byId(id)
      const row = await db
        .updateTable('users')
        .set(columns)
        .where('id', '=', id)
        .returning(USER)
        .executeTakeFirst()
      return row && toUser(row)
    },

    async operators() {
      const rows = await db
        .selectFrom('users')
        .select(USER)
        .where('operator', '=', sql.lit(1))
        .limit(100)
        .execute()
      return rows.map(toUser)
    },

    async hasOperator() {
      // The literal is what lets the partial index be used.
      const row = await db
        .selectFrom('users')
        .select('id')
        .where('operator', '=', sql.lit(1))
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}
