import { type NotNull, type Selectable, sql } from 'kysely'
import type { Alias, AliasRow } from '#core/alias/alias.ts'
import type { HostStore } from '#core/alias/host-store.ts'
import { flag } from '../database/columns.ts'
import { hasLateralJoins, locksRows } from '../database/dialect/capabilities.ts'
import { eachOf } from '../database/each-of.ts'
import { type PageRange, readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import { atomically } from '../database/transaction.ts'
import type { Db, Flag, HostTable } from '../tables.ts'
import { type AliasFilter, delist, enlist, isListed, listFor, relist } from './alias-lists.ts'
import { holdDeployment } from './hold-deployment.ts'

const HOST = [
  'hosts.host',
  'hosts.owner_id',
  'hosts.project_id',
  'hosts.deployment_id',
  'hosts.alias_id',
  'hosts.production',
  'hosts.created_at',
] as const

type HostRow = Selectable<HostTable>
type AliasHostRow = HostRow & { readonly alias_id: string }

const isAlias = (row: HostRow): row is AliasHostRow => row.alias_id !== null

const toAlias = (row: AliasHostRow): Alias => ({
  id: row.alias_id,
  host: row.host,
  ownerId: row.owner_id,
  projectId: row.project_id,
  deploymentId: row.deployment_id,
  production: row.production === 1,
  createdAt: row.created_at,
})

const toAliasRow = (row: AliasHostRow & { readonly deployment_host: string | null }): AliasRow => ({
  ...toAlias(row),
  deploymentHost: row.deployment_host,
})

const selectByHost = prepare<{ host: string }>()((db, { host }) =>
  db.selectFrom('hosts').select(HOST).where('host', '=', host),
)
const selectDomain = prepare<{ host: string }>()((db, { host }) =>
  db
    .selectFrom('project_domains')
    .select(['owner_id', 'project_id'])
    .where('name', '=', host)
    .where('verified', '=', sql.lit(1)),
)
const selectByAliasId = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('hosts').select(HOST).where('alias_id', '=', id),
)
const selectAliasesOf = prepare<{ deploymentId: string }>()((db, { deploymentId }) =>
  db
    .selectFrom('hosts')
    .select(HOST)
    .where('deployment_id', '=', deploymentId)
    .where('alias_id', 'is not', null)
    .$narrowType<{ alias_id: NotNull }>()
    .orderBy('created_at', 'desc')
    .orderBy('alias_id', 'desc'),
)

const selectProduction = prepare<{ projectId: string }>()((db, { projectId }) =>
  db
    .selectFrom('hosts')
    .select(HOST)
    .where('project_id', '=', projectId)
    .where('production', '=', sql.lit(1))
    .where('alias_id', 'is not', null)
    .$narrowType<{ alias_id: NotNull }>(),
)

export const productionAliases = async (db: Db, projectId: string): Promise<readonly Alias[]> =>
  (await selectProduction(db, { projectId })).map(toAlias)

interface ListParameters {
  readonly [name: string]: string | number
  readonly ownerId: string
  readonly list: string
  readonly before: number
  readonly after: number
  readonly limit: number
}

const joined = (db: Db) =>
  db
    .selectFrom('alias_lists')
    .innerJoin('hosts', 'hosts.alias_id', 'alias_lists.alias_id')
    .leftJoin('deployments', 'deployments.id', 'hosts.deployment_id')

/**
 * The same, looked up row by row along the list. A plan for all values does not know how few rows a page takes: of an account
 * that has most of them, it would rather read all hosts and all deployments, and put them in order.
 */
const lookedUp = (db: Db) =>
  db
    .selectFrom('alias_lists')
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('hosts')
          .select(HOST)
          .whereRef('hosts.alias_id', '=', 'alias_lists.alias_id')
          .limit(sql.lit(1))
          .as('hosts'),
      (join) => join.onTrue(),
    )
    .leftJoinLateral(
      ({ selectFrom }) =>
        selectFrom('deployments')
          .select('deployments.host')
          .whereRef('deployments.id', '=', 'hosts.deployment_id')
          .limit(sql.lit(1))
          .as('deployments'),
      (join) => join.onTrue(),
    )

const listed = (db: Db, { ownerId, list, before, after, limit }: ListParameters) =>
  (hasLateralJoins(db) ? (lookedUp(db) as unknown as ReturnType<typeof joined>) : joined(db))
    .select(HOST)
    .select('deployments.host as deployment_host')
    .$narrowType<{ alias_id: NotNull }>()
    .where('alias_lists.owner_id', '=', ownerId)
    .where('alias_lists.list', '=', list)
    .where('alias_lists.created_at', '<', before)
    .where('alias_lists.created_at', '>', after)
    .orderBy('alias_lists.created_at', 'desc')
    .orderBy('alias_lists.alias_id', 'desc')
    .limit(limit)

const selectListed = prepare<ListParameters>()(listed)
/** The project sifts what the list leads to, and is said so that no planner takes it for a way in: it may have many more. */
const selectListedIn = prepare<ListParameters & { readonly projectId: string }>()((db, parameters) =>
  listed(db, parameters).where(sql<string>`coalesce(hosts.project_id, '')`, '=', parameters.projectId),
)

const selectFiltered = (db: Db, ownerId: string, filter: AliasFilter, range: PageRange) => {
  const parameters = { ownerId, list: listFor(filter), ...range }
  return filter.domain !== undefined && filter.projectId !== undefined
    ? selectListedIn(db, { ...parameters, projectId: filter.projectId })
    : selectListed(db, parameters)
}

const newestFirst = (a: AliasHostRow, b: AliasHostRow): number =>
  b.created_at - a.created_at || (a.alias_id < b.alias_id ? 1 : -1)

const insertUnlessThere = prepare<HostRow>()((db, row) =>
  db
    .insertInto('hosts')
    .values({
      host: row.host,
      owner_id: row.owner_id,
      project_id: row.project_id,
      deployment_id: row.deployment_id,
      alias_id: row.alias_id,
      production: row.production,
      created_at: row.created_at,
    })
    .onConflict((conflict) => conflict.column('host').doNothing())
    .returning('host'),
)

const pointFrom = prepare<{
  host: string
  from: string
  deploymentId: string
  projectId: string
  production: Flag
}>()((db, { host, from, deploymentId, projectId, production }) =>
  db
    .updateTable('hosts')
    .set({ deployment_id: deploymentId, project_id: projectId, production })
    .where('host', '=', host)
    .where('alias_id', 'is not', null)
    .where('deployment_id', '=', from)
    .returning(HOST),
)

async function claim(db: Db, row: HostRow): Promise<boolean> {
  const inserted = await insertUnlessThere(db, row)
  return inserted.length === 1
}

export function createHostStore(db: Db): HostStore {
  return {
    claimForDeployment: (host, { id, ownerId, projectId, createdAt }) =>
      claim(db, {
        host,
        owner_id: ownerId,
        project_id: projectId,
        deployment_id: id,
        alias_id: null,
        production: 0,
        created_at: createdAt,
      }),

    claimAlias: (alias) =>
      atomically(db, async (tx) => {
        if (!(await holdDeployment(tx, alias.deploymentId))) return false
        const claimed = await claim(tx, {
          host: alias.host,
          owner_id: alias.ownerId,
          project_id: alias.projectId,
          deployment_id: alias.deploymentId,
          alias_id: alias.id,
          production: flag(alias.production),
          created_at: alias.createdAt,
        })
        if (claimed) await enlist(tx, alias)
        return claimed
      }),

    async holder(host) {
      const name = host.toLowerCase()
      const [row] = await selectByHost(db, { host: name })
      if (!row) {
        const [domain] = await selectDomain(db, { host: name })
        return domain && { kind: 'project-domain', ownerId: domain.owner_id, projectId: domain.project_id }
      }
      return isAlias(row)
        ? { kind: 'alias', ...toAlias(row) }
        : { kind: 'deployment', ownerId: row.owner_id, deploymentId: row.deployment_id }
    },

    async alias(ownerId, idOrHost) {
      // Every host has a dot, and no id has one.
      const [row] = await (idOrHost.includes('.')
        ? selectByHost(db, { host: idOrHost.toLowerCase() })
        : selectByAliasId(db, { id: idOrHost }))
      return row && isAlias(row) && row.owner_id === ownerId ? toAlias(row) : undefined
    },

    point: (host, from, { deploymentId, projectId, production }) =>
      atomically(db, async (tx) => {
        if (!(await holdDeployment(tx, deploymentId))) return false
        const change = { host, from, deploymentId, projectId, production: flag(production) }
        const [row] = await pointFrom(tx, change)
        if (!row || !isAlias(row)) return false
        const alias = toAlias(row)
        // Where others write at the same time, the deployment that it leaves may be deleted meanwhile, and its lists with it.
        if (!locksRows(tx) && ((await isListed(tx, alias)) || (await relist(tx, alias)))) return true
        // It may come from a deployment that was deleted.
        await delist(tx, alias.id)
        await enlist(tx, alias)
        return true
      }),

    list: (ownerId, page, filter) => {
      const { projectId, ...rest } = filter
      const filters = [projectId].flat().map((id) => (id === undefined ? rest : { ...rest, projectId: id }))
      return readPage(page, {
        select: async (range) => {
          const found = await eachOf(db, filters, (one) => selectFiltered(db, ownerId, one, range))
          // Each part is in order and long enough, so the whole has the newest of all.
          return found.length === 1 ? (found[0] ?? []) : found.flat().sort(newestFirst).slice(0, range.limit)
        },
        timeOf: (row) => row.created_at,
        show: toAliasRow,
      })
    },

    ofDeployment: async (deploymentId) => (await selectAliasesOf(db, { deploymentId })).map(toAlias),

    inProduction: (projectId) => productionAliases(db, projectId),

    release: (host, id) =>
      atomically(db, async (tx) => {
        const row = await tx
          .deleteFrom('hosts')
          .where('host', '=', host)
          .where('alias_id', 'is not', null)
          .$if(id !== undefined, (query) => query.where('alias_id', '=', id as string))
          .returning('alias_id')
          .executeTakeFirst()
        if (!row?.alias_id) return false
        await delist(tx, row.alias_id)
        return true
      }),
  }
}
