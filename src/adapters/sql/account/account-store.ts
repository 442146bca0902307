import { sql } from 'kysely'
import type { AccountStore, ListedAccount } from '#core/operator/account.ts'
import { newestFirst, type PageRange, readPage } from '../database/page.ts'
import { liveDeployments } from '../deployment/deployment-row.ts'
import type { Db } from '../tables.ts'

type Row = Omit<ListedAccount, 'projects' | 'deployments'>

/** Text that LIKE takes as it is. */
const contains = (search: string): string => `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`

/** Walks an index by age: what is sought is looked for in the rows on the way. */
function accounts(db: Db, search: string | undefined) {
  const pattern = search === undefined ? undefined : contains(search)
  return {
    users: (range: PageRange) =>
      newestFirst(
        db
          .selectFrom('users')
          .select(['id', 'username', 'email', 'plan', 'soft_blocked', 'operator', 'created_at'])
          .$if(pattern !== undefined, (rows) =>
            rows.where(
              sql<boolean>`(lower(username) like ${pattern} escape '\\' or lower(email) like ${pattern} escape '\\')`,
            ),
          ),
        range,
      ).execute(),
    teams: (range: PageRange) =>
      newestFirst(
        db
          .selectFrom('teams')
          .select(['id', 'slug', 'plan', 'soft_blocked', 'created_at'])
          .$if(pattern !== undefined, (rows) =>
            rows.where(sql<boolean>`lower(slug) like ${pattern} escape '\\'`),
          ),
        range,
      ).execute(),
  }
}

/** How many projects and deployments these accounts have, by account. */
async function counts(db: Db, ids: readonly string[]) {
  if (ids.length === 0) return { projects: new Map<string, number>(), deployments: new Map<string, number>() }
  const projects = await db
    .selectFrom('projects')
    .select(({ fn }) => ['owner_id', fn.countAll<number>().as('count')])
    .where('owner_id', 'in', ids)
    .groupBy('owner_id')
    .execute()
  const deployments = await liveDeployments(db, 'deployments_owner')
    .select(({ fn }) => ['owner_id', fn.countAll<number>().as('count')])
    .where('owner_id', 'in', ids)
    .groupBy('owner_id')
    .execute()
  const byOwner = (rows: readonly { owner_id: string; count: number }[]) =>
    new Map(rows.map(({ owner_id, count }) => [owner_id, count]))
  return { projects: byOwner(projects), deployments: byOwner(deployments) }
}

export const createAccountStore = (db: Db): AccountStore => ({
  async list(page, search) {
    const select = accounts(db, search)
    const found = await readPage<Row, Row>(page, {
      async select(range) {
        const [users, teams] = [await select.users(range), await select.teams(range)]
        const rows: Row[] = [
          ...users.map((row) => ({
            id: row.id,
            kind: 'user' as const,
            slug: row.username,
            email: row.email,
            plan: row.plan,
            softBlocked: row.soft_blocked === 1,
            operator: row.operator === 1,
            createdAt: row.created_at,
          })),
          ...teams.map((row) => ({
            id: row.id,
            kind: 'team' as const,
            slug: row.slug,
            plan: row.plan,
            softBlocked: row.soft_blocked === 1,
            operator: false,
            createdAt: row.created_at,
          })),
        ]
        return rows.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)).slice(0, range.limit)
      },
      timeOf: (row) => row.createdAt,
      show: (row) => row,
    })
    const { projects, deployments } = await counts(
      db,
      found.items.map(({ id }) => id),
    )
    return {
      ...found,
      items: found.items.map((row) => ({
        ...row,
        projects: projects.get(row.id) ?? 0,
        deployments: deployments.get(row.id) ?? 0,
      })),
    }
  },
})
