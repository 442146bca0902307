import type { SettingStore } from '#core/setting/setting-store.ts'
import type { Db } from '../tables.ts'
import { changedOne } from './changed-one.ts'
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

    take: (key, value) =>
      changedOne(db.deleteFrom('settings').where('key', '=', key).where('value', '=', value)),
  }
}
