import { sql } from 'kysely'
import type { ProjectFilter } from '#core/project/project-store.ts'
import { flag } from '../database/columns.ts'
import type { PageRange } from '../database/page.ts'
import { textsIn } from '../database/text-list.ts'
import type { Db } from '../tables.ts'
import { PROJECT } from './project-row.ts'

/** What stands for itself in a pattern. */
const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** A range of an account's projects by their last change. All conditions sift what the one index leads to. */
export const selectProjects = (
  db: Db,
  ownerId: string,
  { ids, search, repos, notRepos, repoNumber, gitForkProtection }: ProjectFilter,
  { before, after, limit }: PageRange,
) =>
  db
    .selectFrom('projects')
    .select(PROJECT)
    .where('owner_id', '=', ownerId)
    .where('updated_at', '<', before)
    .where('updated_at', '>', after)
    .$if(ids !== undefined, (query) => query.where('id', 'in', textsIn(db, JSON.stringify(ids))))
    .$if(search !== undefined, (query) =>
      query.where(sql<boolean>`name like ${`%${literal(search ?? '')}%`} escape '\\'`),
    )
    .$if(repos !== undefined, (query) => query.where('repo', 'in', textsIn(db, JSON.stringify(repos))))
    .$if(notRepos !== undefined, (query) =>
      query.where((eb) =>
        eb.or([eb('repo', 'is', null), eb('repo', 'not in', textsIn(db, JSON.stringify(notRepos)))]),
      ),
    )
    .$if(repoNumber !== undefined, (query) => query.where('repo_number', '=', repoNumber as number))
    .$if(gitForkProtection !== undefined, (query) =>
      query.where('git_fork_protection', '=', flag(gitForkProtection as boolean)),
    )
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
