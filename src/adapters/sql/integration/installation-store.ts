import type { InstallationStore } from '#core/installation/installation-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { locksRows } from '../database/dialect/capabilities.ts'
import { newestFirst, type PageRange, readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'
import { fromInstallation, INSTALLATION, toInstallation } from './installation-row.ts'

const selectById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('installations').select(INSTALLATION).where('id', '=', id),
)
const selectOfApplication = prepare<{ applicationId: string; ownerId: string }>()(
  (db, { applicationId, ownerId }) =>
    db
      .selectFrom('installations')
      .select(INSTALLATION)
      .where('application_id', '=', applicationId)
      .where('owner_id', '=', ownerId),
)
const selectOf = prepare<{ ownerId: string } & PageRange>()((db, range) =>
  newestFirst(
    db.selectFrom('installations').select(INSTALLATION).where('owner_id', '=', range.ownerId),
    range,
  ),
)
const selectEverywhere = prepare<{ applicationId: string; after: string; limit: number }>()(
  (db, { applicationId, after, limit }) =>
    db
      .selectFrom('installations')
      .select(INSTALLATION)
      .where('application_id', '=', applicationId)
      .where('owner_id', '>', after)
      .orderBy('owner_id')
      .limit(limit),
)
const selectByUser = prepare<{ ownerId: string; userId: string }>()((db, { ownerId, userId }) =>
  db
    .selectFrom('installations')
    .select(INSTALLATION)
    .where('owner_id', '=', ownerId)
    .where('user_id', '=', userId),
)
const selectDisabled = prepare<{ time: number; limit: number }>()((db, { time, limit }) =>
  db
    .selectFrom('installations')
    .select(INSTALLATION)
    .where('disabled_at', 'is not', null)
    .where('disabled_at', '<', time)
    .orderBy('disabled_at')
    .limit(limit),
)

export function createInstallationStore(db: Db): InstallationStore {
  const byId = async (id: string) => {
    const [row] = await selectById(db, { id })
    return row && toInstallation(row)
  }
  const lock = async (id: string) => {
    const row = await db
      .selectFrom('installations')
      .select(INSTALLATION)
      .where('id', '=', id)
      .$if(locksRows(db), (query) => query.forUpdate())
      .executeTakeFirst()
    return row && toInstallation(row)
  }
  return {
    byId,
    lock,

    async add(installation) {
      return changedOne(
        db
          .insertInto('installations')
          .values(fromInstallation(installation))
          .onConflict((conflict) => conflict.columns(['application_id', 'owner_id']).doNothing()),
      )
    },

    async find(ownerId, id) {
      const installation = await byId(id)
      return installation?.ownerId === ownerId ? installation : undefined
    },

    async ofApplication(applicationId, ownerId) {
      const [row] = await selectOfApplication(db, { applicationId, ownerId })
      return row && toInstallation(row)
    },

    list: (ownerId, page) =>
      readPage(page, {
        select: (range) => selectOf(db, { ownerId, ...range }),
        timeOf: (row) => row.created_at,
        show: toInstallation,
      }),

    everywhere: async (applicationId, after, limit) =>
      (await selectEverywhere(db, { applicationId, after, limit })).map(toInstallation),

    byUser: async (ownerId, userId) => (await selectByUser(db, { ownerId, userId })).map(toInstallation),

    disabledBefore: async (time, limit) => (await selectDisabled(db, { time, limit })).map(toInstallation),

    async update(id, change) {
      const installation = await lock(id)
      if (!installation) return false
      const { id: _id, created_at: _at, ...row } = fromInstallation({ ...installation, ...change })
      return changedOne(db.updateTable('installations').set(row).where('id', '=', id))
    },

    async remove(id) {
      await db.deleteFrom('tokens').where('installation_id', '=', id).execute()
      await db.deleteFrom('installations').where('id', '=', id).execute()
    },
  }
}
