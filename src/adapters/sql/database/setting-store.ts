import type { SettingStore } from '#core/setting/setting-store.ts'
import type { Db } from '../tables.ts'
import { prepare } from './prepare.ts'

const selectByKey = prepare<{ key: string }>()((db, { key }) =>
  db.selectFrom('settings').select('value').where('key', '=', key),
)

export function createSettingStore(db: Db): SettingStore {
  const get = async (key: string): Promise<string | undefined> => {
    const [row] = await selectByKey(db, { key })
    return row?.value
  }

  return {
    get,

    async set(key, value) {
      await db
        .insertInto('settings')
        .values({ key, value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute()
    },

    async ensure(key, value) {
      // Ends at the latest when nobody takes the value away between two statements.
      for (;;) {
        const known = await get(key)
        if (known !== undefined) return known
        await db
          .insertInto('settings')
          .values({ key, value })
          .onConflict((conflict) => conflict.column('key').doNothing())
          .execute()
      }
    },

    async take(key, value) {
      const { numDeletedRows } = await db
        .deleteFrom('settings')
        .where('key', '=', key)
        .where('value', '=', value)
        .executeTakeFirstOrThrow()
      return numDeletedRows === 1n
    },
  }
}
