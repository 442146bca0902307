import type { ApplicationStore } from '#core/application/application-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { locksRows } from '../database/dialect/capabilities.ts'
import { newestFirst, type PageRange, readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import { unlessTaken } from '../database/unless-taken.ts'
import type { Db } from '../tables.ts'
import { APPLICATION, fromApplication, toApplication } from './application-row.ts'

const selectById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('applications').select(APPLICATION).where('id', '=', id),
)
const selectByClientId = prepare<{ clientId: string }>()((db, { clientId }) =>
  db.selectFrom('applications').select(APPLICATION).where('client_id', '=', clientId),
)
const selectOf = prepare<{ ownerId: string } & PageRange>()((db, range) =>
  newestFirst(db.selectFrom('applications').select(APPLICATION).where('owner_id', '=', range.ownerId), range),
)

export function createApplicationStore(db: Db): ApplicationStore {
  const byId = async (id: string) => {
    const [row] = await selectById(db, { id })
    return row && toApplication(row)
  }
  return {
    byId,

    async add(application) {
      return changedOne(
        db
          .insertInto('applications')
          .values(fromApplication(application))
          .onConflict((conflict) => conflict.column('slug').doNothing()),
      )
    },

    async find(ownerId, id) {
      const application = await byId(id)
      return application?.ownerId === ownerId ? application : undefined
    },

    async byClientId(clientId) {
      const [row] = await selectByClientId(db, { clientId })
      return row && toApplication(row)
    },

    list: (ownerId, page) =>
      readPage(page, {
        select: (range) => selectOf(db, { ownerId, ...range }),
        timeOf: (row) => row.created_at,
        show: toApplication,
      }),

    async update(id, change) {
      // Of two who change different things at once, neither undoes what the other did.
      const present = await db
        .selectFrom('applications')
        .select(APPLICATION)
        .where('id', '=', id)
        .$if(locksRows(db), (query) => query.forUpdate())
        .executeTakeFirst()
      if (!present) return false
      const application = toApplication(present)
      const { id: _id, created_at: _at, ...row } = fromApplication({ ...application, ...change })
      return unlessTaken(db, (tx) => tx.updateTable('applications').set(row).where('id', '=', id).execute())
    },

    async retire(id) {
      for (const table of ['tokens', 'drains'] as const)
        await db
          .deleteFrom(table)
          .where('installation_id', 'in', (eb) =>
            eb.selectFrom('installations').select('installations.id').where('application_id', '=', id),
          )
          .execute()
      const nobody = { owner_id: '', slug: `retired ${id}`, client_id: `retired ${id}` }
      await db.updateTable('applications').set(nobody).where('id', '=', id).execute()
    },

    async remove(id) {
      await db.deleteFrom('applications').where('id', '=', id).execute()
    },
  }
}
