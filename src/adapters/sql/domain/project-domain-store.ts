import type { Selectable } from 'kysely'
import type { Page, PageQuery } from '#contract/page.ts'
import type { ProjectDomain, RedirectStatus } from '#core/project-domain/project-domain.ts'
import type { ProjectDomainFilter, ProjectDomainStore } from '#core/project-domain/project-domain-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { flag, hasColumns } from '../database/columns.ts'
import { type PageRange, readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import { unlessTaken } from '../database/unless-taken.ts'
import type { Db, ProjectDomainTable } from '../tables.ts'

const DOMAIN = [
  'project_id',
  'owner_id',
  'name',
  'apex_name',
  'redirect',
  'redirect_status',
  'git_branch',
  'custom_environment_id',
  'verified',
  'challenge',
  'created_at',
  'updated_at',
] as const

const toDomain = (row: Selectable<ProjectDomainTable>): ProjectDomain => ({
  projectId: row.project_id,
  ownerId: row.owner_id,
  name: row.name,
  apexName: row.apex_name,
  redirect: row.redirect,
  redirectStatusCode: row.redirect_status as RedirectStatus | null,
  gitBranch: row.git_branch,
  customEnvironmentId: row.custom_environment_id,
  verified: row.verified === 1,
  challenge: row.challenge,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const selectOne = prepare<{ projectId: string; name: string }>()((db, { projectId, name }) =>
  db
    .selectFrom('project_domains')
    .select(DOMAIN)
    .where('project_id', '=', projectId)
    .where('name', '=', name),
)
const selectHolders = prepare<{ name: string }>()((db, { name }) =>
  db.selectFrom('project_domains').select(DOMAIN).where('name', '=', name),
)
const selectOf = prepare<{ projectId: string }>()((db, { projectId }) =>
  db
    .selectFrom('project_domains')
    .select(DOMAIN)
    .where('project_id', '=', projectId)
    .orderBy('created_at')
    .orderBy('name'),
)

export const domainsOf = async (db: Db, projectId: string): Promise<readonly ProjectDomain[]> =>
  (await selectOf(db, { projectId })).map(toDomain)

const selectInApex = prepare<{ ownerId: string; apexName: string; after: string; limit: number }>()(
  (db, { ownerId, apexName, after, limit }) =>
    db
      .selectFrom('project_domains')
      .select(DOMAIN)
      .where('owner_id', '=', ownerId)
      .where('apex_name', '=', apexName)
      .where('name', '>', after)
      .orderBy('name')
      .limit(limit),
)

/** A range of a project's domains. All conditions sift what the one index leads to: a project has few. */
const selectRange = (
  db: Db,
  projectId: string,
  filter: ProjectDomainFilter,
  { before, after, limit }: PageRange,
  direction: 'asc' | 'desc',
) => {
  const { redirects, redirect, verified, gitBranch, customEnvironmentId, production } = filter
  return db
    .selectFrom('project_domains')
    .select(DOMAIN)
    .where('project_id', '=', projectId)
    .where('created_at', '<', before)
    .where('created_at', '>', after)
    .$if(redirects === false, (query) => query.where('redirect', 'is', null))
    .$if(redirect !== undefined, (query) => query.where('redirect', '=', redirect as string))
    .$if(verified !== undefined, (query) => query.where('verified', '=', flag(verified as boolean)))
    .$if(gitBranch !== undefined, (query) => query.where('git_branch', '=', gitBranch as string))
    .$if(customEnvironmentId !== undefined, (query) =>
      query.where('custom_environment_id', '=', customEnvironmentId as string),
    )
    .$if(production === true, (query) =>
      query.where('git_branch', 'is', null).where('custom_environment_id', 'is', null),
    )
    .orderBy('created_at', direction)
    .orderBy('name', direction)
    .limit(limit)
    .execute()
}

/** Negated, so that pages of the oldest first are those of the newest first in a mirror. */
const mirrored = (time: number | null): number | null => (time === null ? null : -time)

async function listOldestFirst(
  db: Db,
  projectId: string,
  { limit, since, until }: PageQuery,
  filter: ProjectDomainFilter,
): Promise<Page<ProjectDomain>> {
  const page = {
    limit,
    ...(until === undefined ? {} : { since: -until }),
    ...(since === undefined ? {} : { until: -since }),
  }
  const { items, pagination } = await readPage(page, {
    select: ({ before, after, limit }) =>
      selectRange(db, projectId, filter, { before: -after, after: -before, limit }, 'asc'),
    timeOf: (row) => -row.created_at,
    show: toDomain,
  })
  const { count, next, prev } = pagination
  return { items, pagination: { count, next: mirrored(next), prev: mirrored(prev) } }
}

export function createProjectDomainStore(db: Db): ProjectDomainStore {
  return {
    async add(domain) {
      return changedOne(
        db
          .insertInto('project_domains')
          .values({
            project_id: domain.projectId,
            owner_id: domain.ownerId,
            name: domain.name,
            apex_name: domain.apexName,
            redirect: domain.redirect,
            redirect_status: domain.redirectStatusCode,
            git_branch: domain.gitBranch,
            custom_environment_id: domain.customEnvironmentId,
            verified: flag(domain.verified),
            challenge: domain.challenge,
            created_at: domain.createdAt,
            updated_at: domain.updatedAt,
          })
          .onConflict((conflict) => conflict.doNothing()),
      )
    },

    async find(projectId, name) {
      const [row] = await selectOne(db, { projectId, name })
      return row && toDomain(row)
    },

    holders: async (name) => (await selectHolders(db, { name })).map(toDomain),

    list: (projectId, page, filter) =>
      filter.order === 'ASC'
        ? listOldestFirst(db, projectId, page, filter)
        : readPage(page, {
            select: (range) => selectRange(db, projectId, filter, range, 'desc'),
            timeOf: (row) => row.created_at,
            show: toDomain,
          }),

    ofProject: (projectId) => domainsOf(db, projectId),

    inApex: async (ownerId, apexName, after, limit) =>
      (await selectInApex(db, { ownerId, apexName, after, limit })).map(toDomain),

    async update(projectId, name, change) {
      const columns = {
        owner_id: change.ownerId,
        redirect: change.redirect,
        redirect_status: change.redirectStatusCode,
        git_branch: change.gitBranch,
        custom_environment_id: change.customEnvironmentId,
        verified: flag(change.verified),
        challenge: change.challenge,
        updated_at: change.updatedAt,
      }
      if (!hasColumns(columns)) return (await selectOne(db, { projectId, name })).length === 1
      let found = false
      const isFree = await unlessTaken(db, async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('project_domains')
          .set(columns)
          .where('project_id', '=', projectId)
          .where('name', '=', name)
          .executeTakeFirstOrThrow()
        found = numUpdatedRows === 1n
      })
      return isFree && found
    },

    remove: (projectId, name) =>
      changedOne(
        db.deleteFrom('project_domains').where('project_id', '=', projectId).where('name', '=', name),
      ),
  }
}
