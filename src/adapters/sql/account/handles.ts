import { changedOne } from '../database/changed-one.ts'
import type { Db } from '../tables.ts'

/** Takes a name for an account; false when somebody has it. Waits for whoever is just taking it. */
export async function takeHandle(db: Db, handle: string, accountId: string): Promise<boolean> {
  return changedOne(
    db
      .insertInto('handles')
      .values({ handle, account_id: accountId })
      .onConflict((conflict) => conflict.column('handle').doNothing()),
  )
}

export async function freeHandle(db: Db, handle: string): Promise<void> {
  await db.deleteFrom('handles').where('handle', '=', handle).execute()
}

/** Exchanges the name of an account, which the caller has locked; false when somebody has the new one. */
export async function moveHandle(db: Db, handle: string, accountId: string): Promise<boolean> {
  const held = await db
    .selectFrom('handles')
    .select('handle')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (held?.handle === handle) return true
  if (!(await takeHandle(db, handle, accountId))) return false
  if (held) await freeHandle(db, held.handle)
  return true
}
