import type { Selectable } from 'kysely'
import { DEFAULT_BUILD_SETTINGS, type Project } from '#core/project/project.ts'
import type { ProjectStore } from '#core/project/project-store.ts'
import { flag } from './columns.ts'
import { prepare } from './prepare.ts'
import type { Db, ProjectTable } from './tables.ts'

const PROJECT = [
  'id',
  'owner_id',
  'name',
  'default_host',
  'directory_listing',
  'build',
  'created_at',
  'updated_at',
] as const

const toProject = (row: Selectable<ProjectTable>): Project => ({
  id: row.id,
  ownerId: row.owner_id,
  name: row.name,
  defaultHost: row.default_host,
  directoryListing: row.directory_listing === 1,
  build: { ...DEFAULT_BUILD_SETTINGS, ...(row.build === null ? {} : JSON.parse(row.build)) },
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const selectById = prepare<{ ownerId: string; id: string }>()((db, { ownerId, id }) =>
  db.selectFrom('projects').select(PROJECT).where('id', '=', id).where('owner_id', '=', ownerId),
)
const selectByName = prepare<{ ownerId: string; name: string }>()((db, { ownerId, name }) =>
  db.selectFrom('projects').select(PROJECT).where('owner_id', '=', ownerId).where('name', '=', name),
)

export function createProjectStore(db: Db): ProjectStore {
  return {
    async byIdOrName(ownerId, idOrName) {
      // Names are slugs, which have no `_`.
      const [row] = await (idOrName.startsWith('prj_')
        ? selectById(db, { ownerId, id: idOrName })
        : selectByName(db, { ownerId, name: idOrName }))
      return row && toProject(row)
    },

    async insert(project) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('projects')
        .values({
          id: project.id,
          owner_id: project.ownerId,
          name: project.name,
          default_host: project.defaultHost,
          directory_listing: flag(project.directoryListing),
          build: JSON.stringify(project.build),
          created_at: project.createdAt,
          updated_at: project.updatedAt,
        })
        .onConflict((conflict) => conflict.columns(['owner_id', 'name']).doNothing())
        .executeTakeFirstOrThrow()
      return numInsertedOrUpdatedRows === 1n
    },

    async touch(id, updatedAt) {
      // Clocks of processes differ; the latest time stays.
      await db
        .updateTable('projects')
        .set((eb) => ({
          updated_at: eb
            .case()
            .when('updated_at', '<', updatedAt)
            .then(updatedAt)
            .else(eb.ref('updated_at'))
            .end(),
        }))
        .where('id', '=', id)
        .execute()
    },

    async setDefaultHost(id, host) {
      await db.updateTable('projects').set({ default_host: host }).where('id', '=', id).execute()
    },
  }
}
