import type { ExpressionBuilder } from 'kysely'
import type { ProjectStore } from '#core/project/project-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { flag } from '../database/columns.ts'
import { readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import { unlessTaken } from '../database/unless-taken.ts'
import { liveDeployments } from '../deployment/deployment-row.ts'
import type { Db, Tables } from '../tables.ts'
import { deploymentsOf, namesOf } from './project-deployments.ts'
import { selectProjects } from './project-list.ts'
import { fromDetails, PROJECT, toProject } from './project-row.ts'
import { giveProject } from './project-transfer.ts'

const selectById = prepare<{ ownerId: string; id: string }>()((db, { ownerId, id }) =>
  db.selectFrom('projects').select(PROJECT).where('id', '=', id).where('owner_id', '=', ownerId),
)
const selectByName = prepare<{ ownerId: string; name: string }>()((db, { ownerId, name }) =>
  db.selectFrom('projects').select(PROJECT).where('owner_id', '=', ownerId).where('name', '=', name),
)

const selectAnybodys = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('projects').select(PROJECT).where('id', '=', id),
)
const selectByTransfer = prepare<{ hash: string }>()((db, { hash }) =>
  db.selectFrom('projects').select(PROJECT).where('transfer_hash', '=', hash),
)
const selectStates = prepare<{ id: string; ownerId: string }>()((db, { id, ownerId }) =>
  liveDeployments(db, 'deployments_project')
    .select(['deployments.id', 'deployments.state'])
    .where('owner_id', '=', ownerId)
    .where('project_id', '=', id),
)
const selectHosts = prepare<{ id: string; limit: number }>()((db, { id, limit }) =>
  db.selectFrom('hosts').select('host').where('project_id', '=', id).limit(limit),
)

/** Clocks of processes differ; the latest time stays. */
const latest = (eb: ExpressionBuilder<Tables, 'projects'>, updatedAt: number) =>
  eb.case().when('updated_at', '<', updatedAt).then(updatedAt).else(eb.ref('updated_at')).end()

const touchOne = prepare<{ ownerId: string; id: string; updatedAt: number }>()(
  (db, { ownerId, id, updatedAt }) =>
    db
      .updateTable('projects')
      .set((eb) => ({ updated_at: latest(eb, updatedAt) }))
      .where('id', '=', id)
      .where('owner_id', '=', ownerId)
      .returning('updated_at'),
)

const ID = /^prj_[0-9A-Za-z]+$/

export function createProjectStore(db: Db): ProjectStore {
  const byIdOrName: ProjectStore['byIdOrName'] = async (ownerId, idOrName) => {
    const [byId] = ID.test(idOrName) ? await selectById(db, { ownerId, id: idOrName }) : []
    const [row] = byId ? [byId] : await selectByName(db, { ownerId, name: idOrName })
    return row && toProject(row)
  }

  return {
    byIdOrName,

    async byId(id) {
      const [row] = await selectAnybodys(db, { id })
      return row && toProject(row)
    },

    async insert(project) {
      return changedOne(
        db
          .insertInto('projects')
          .values({
            id: project.id,
            owner_id: project.ownerId,
            name: project.name,
            default_host: project.defaultHost,
            directory_listing: flag(project.directoryListing),
            build: JSON.stringify(project.build),
            ...fromDetails(project.details),
            created_at: project.createdAt,
            updated_at: project.updatedAt,
          })
          .onConflict((conflict) => conflict.columns(['owner_id', 'name']).doNothing()),
      )
    },

    async touch(ownerId, id, updatedAt) {
      const [row] = await touchOne(db, { ownerId, id, updatedAt })
      return row?.updated_at ?? false
    },

    async setDefaultHost(id, host) {
      await db.updateTable('projects').set({ default_host: host }).where('id', '=', id).execute()
    },

    list: (ownerId, page, filter) =>
      readPage(page, {
        select: (range) => selectProjects(db, ownerId, filter, range),
        timeOf: (row) => row.updated_at,
        show: toProject,
      }),

    async lock(ownerId, idOrName) {
      const found = await byIdOrName(ownerId, idOrName)
      if (!found) return undefined
      // Writing what is there already is a lock that every database knows.
      const row = await db
        .updateTable('projects')
        .set((eb) => ({ name: eb.ref('name') }))
        .where('id', '=', found.id)
        .where('owner_id', '=', ownerId)
        .returning(PROJECT)
        .executeTakeFirst()
      // Whoever had it locked before may have renamed it.
      return row && [row.id, row.name].includes(idOrName) ? toProject(row) : undefined
    },

    update: (id, { name, directoryListing, build, details }, updatedAt) =>
      unlessTaken(db, (tx) =>
        tx
          .updateTable('projects')
          .set((eb) => ({
            name,
            directory_listing: flag(directoryListing),
            build: build && JSON.stringify(build),
            ...(details && fromDetails(details)),
            updated_at: latest(eb, updatedAt),
          }))
          .where('id', '=', id)
          .execute(),
      ),

    async delete(id) {
      await db.deleteFrom('projects').where('id', '=', id).execute()
    },

    async byTransferHash(hash) {
      const [row] = await selectByTransfer(db, { hash })
      return row && toProject(row)
    },

    async setTransferHash(id, hash) {
      await db.updateTable('projects').set({ transfer_hash: hash }).where('id', '=', id).execute()
    },

    give: (project, to) => giveProject(db, project, to),

    async states({ id, ownerId }) {
      const rows = await selectStates(db, { id, ownerId })
      return new Map(rows.map((row) => [row.id, row.state]))
    },

    async hostsOf(id, limit) {
      const rows = await selectHosts(db, { id, limit })
      return rows.map(({ host }) => host)
    },

    async countAliases(id) {
      const { count } = await db
        .selectFrom('hosts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', id)
        .where('alias_id', 'is not', null)
        .executeTakeFirstOrThrow()
      return count
    },

    deploymentsOf: (ownerId, ids, limit) => deploymentsOf(db, ownerId, ids, limit),

    namesOf: (deployments) => namesOf(db, deployments),
  }
}
