import { sql } from 'kysely'
import { FORGOTTEN_MS, type Machine, type MachineStore } from '#core/machine/machine.ts'
import { databaseTime } from '../database/database-time.ts'
import type { Db } from '../tables.ts'

type MachineFacts = Pick<Machine, 'load' | 'memory' | 'disk' | 'publicAddresses'>

/** A machine of an earlier version does not say where visitors reach it. */
const factsOf = (text: string): MachineFacts => ({
  publicAddresses: [],
  ...(JSON.parse(text) as Omit<MachineFacts, 'publicAddresses'>),
})

export function createMachineStore(db: Db): MachineStore {
  return {
    async report({ name, role, version, origin, address, publicAddresses, load, memory, disk, startedAt }) {
      const gone = db.selectFrom('removed_machines').select('name').where('name', '=', name)
      if (await gone.executeTakeFirst()) return false
      const now = databaseTime(db)
      const facts = {
        ...{ version, origin, address: address ?? null, heard_at: now, started_at: startedAt },
        facts: JSON.stringify({ load, memory, disk, publicAddresses }),
      }
      await db
        .insertInto('machines')
        .values({ name, role, is_draining: 0, ...facts })
        .onConflict((conflict) => conflict.columns(['name', 'role']).doUpdateSet(facts))
        .execute()
      return true
    },
    async list() {
      const now = databaseTime(db)
      const rows = await db
        .selectFrom('machines')
        .select(['name', 'role', 'version', 'origin', 'address', 'facts', 'started_at', 'is_draining'])
        .select(({ eb }) => eb(now, '-', eb.ref('heard_at')).as('heard_ago'))
        .where('heard_at', '>', sql<number>`${now} - ${sql.lit(FORGOTTEN_MS)}`)
        .orderBy('name')
        .orderBy('role')
        .execute()
      return rows.map(
        (row): Machine => ({
          ...{ name: row.name, role: row.role, version: row.version, origin: row.origin },
          address: row.address ?? undefined,
          ...factsOf(row.facts),
          startedAt: row.started_at,
          heardAgo: row.heard_ago,
          isDraining: row.is_draining === 1,
        }),
      )
    },
    async setDraining(name, isDraining) {
      const { numUpdatedRows } = await db
        .updateTable('machines')
        .set({ is_draining: isDraining ? 1 : 0 })
        .where('name', '=', name)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    async remove(name) {
      const { numDeletedRows } = await db.deleteFrom('machines').where('name', '=', name).executeTakeFirst()
      if (numDeletedRows === 0n) return false
      await db
        .insertInto('removed_machines')
        .values({ name, removed_at: databaseTime(db) })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
      return true
    },
    async removed() {
      const rows = await db.selectFrom('removed_machines').select('name').execute()
      return new Set(rows.map(({ name }) => name))
    },
  }
}
