import { type NotNull, sql } from 'kysely'
import type { Alias } from '#core/alias/alias.ts'
import { numberAt, rowsIn, textAt } from '../database/json-rows.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'

export interface AliasFilter {
  readonly domain?: string
  readonly projectId?: string
}

const ALL = 'all'
const PROJECT = 'project '
/** After the list of every project, and before everything else. */
const AFTER_PROJECTS = 'project!'
const ofProject = (id: string) => `${PROJECT}${id}`
const ofDomain = (name: string) => `domain ${name}`

/** A host and every name above it. */
function domainsOf(host: string): string[] {
  const labels = host.split('.')
  return labels.map((_, i) => labels.slice(i).join('.'))
}

/** The list to read for a filter. A domain with a project has none of its own: the domain's is sifted. */
export const listFor = ({ domain, projectId }: AliasFilter): string =>
  domain !== undefined ? ofDomain(domain.toLowerCase()) : projectId !== undefined ? ofProject(projectId) : ALL

const insertRows = prepare<{ rows: string }>()((db, { rows }) =>
  db
    .insertInto('alias_lists')
    .columns(['owner_id', 'list', 'created_at', 'alias_id'])
    .expression((eb) =>
      eb
        .selectFrom(rowsIn(db, rows))
        .select([
          textAt(0).as('owner_id'),
          textAt(1).as('list'),
          numberAt(2).as('created_at'),
          textAt(3).as('alias_id'),
        ]),
    ),
)

/** Puts an alias, which points to a living deployment, into its lists. */
export async function enlist(db: Db, { id, ownerId, projectId, host, createdAt }: Alias): Promise<void> {
  const lists = [ALL, ofProject(projectId), ...domainsOf(host).map(ofDomain)]
  await insertRows(db, { rows: JSON.stringify(lists.map((list) => [ownerId, list, createdAt, id])) })
}

const selectListed = prepare<{ ownerId: string; list: string; createdAt: number; aliasId: string }>()(
  (db, { ownerId, list, createdAt, aliasId }) =>
    db
      .selectFrom('alias_lists')
      .select('alias_id')
      .where('owner_id', '=', ownerId)
      .where('list', '=', list)
      .where('created_at', '=', createdAt)
      .where('alias_id', '=', aliasId),
)

/** Whether an alias is in all of its lists: it is put into them, and taken from them, at once. */
export async function isListed(db: Db, { id, ownerId, projectId, createdAt }: Alias): Promise<boolean> {
  const rows = await selectListed(db, { ownerId, list: ofProject(projectId), createdAt, aliasId: id })
  return rows.length > 0
}

const changeProject = prepare<{ aliasId: string; list: string }>()((db, { aliasId, list }) =>
  db
    .updateTable('alias_lists')
    .set({ list })
    .where('alias_id', '=', aliasId)
    .where('list', '>', sql.lit(PROJECT))
    .where('list', '<', sql.lit(AFTER_PROJECTS))
    .returning('alias_id'),
)

/**
 * Moves an alias that comes from another project to the list of its own. The others depend on its host, which stays, so they
 * are left alone. False where it is in no list.
 */
export async function relist(db: Db, { id, projectId }: Alias): Promise<boolean> {
  const rows = await changeProject(db, { aliasId: id, list: ofProject(projectId) })
  return rows.length > 0
}

const deleteOf = prepare<{ aliasId: string }>()((db, { aliasId }) =>
  db.deleteFrom('alias_lists').where('alias_id', '=', aliasId),
)

export async function delist(db: Db, aliasId: string): Promise<void> {
  await deleteOf(db, { aliasId })
}

/** Nobody lists what leads to a deleted deployment. */
export async function delistAliasesOf(db: Db, deploymentId: string): Promise<void> {
  await db
    .deleteFrom('alias_lists')
    .where('alias_id', 'in', (eb) =>
      eb
        .selectFrom('hosts')
        .select('hosts.alias_id')
        .where('deployment_id', '=', deploymentId)
        .where('hosts.alias_id', 'is not', null)
        .$narrowType<{ alias_id: NotNull }>(),
    )
    .execute()
}
