import { PAGE_LIMIT, type PageQuery } from '#contract/page.ts'
import { linkKeysOf } from '#core/project/git-link.ts'
import type { ProjectFilter } from '#core/project/project-store.ts'

interface ListQuery {
  readonly limit?: number
  readonly from?: number
  readonly until?: number
  readonly search?: string
  readonly repo?: string
  readonly repoId?: string
  readonly repoUrl?: string
  readonly excludeRepos?: string
  readonly gitForkProtection?: '1' | '0'
}

export function readList(query: ListQuery): { page: PageQuery; filter: ProjectFilter } {
  const { limit = PAGE_LIMIT.current, from, until, repo, repoId, repoUrl, excludeRepos } = query
  const named = [repo, repoUrl].filter((text) => text !== undefined).map(linkKeysOf)
  const excluded = (excludeRepos ?? '').split(',').filter(Boolean).flatMap(linkKeysOf)
  return {
    page: {
      limit,
      ...(from === undefined ? {} : { since: from }),
      ...(until === undefined ? {} : { until }),
    },
    filter: {
      ...readSearch(query.search),
      // Both of them, where both are given.
      ...(named[0] === undefined
        ? {}
        : { repos: named[0].filter((key) => named.every((keys) => keys.includes(key))) }),
      ...(excluded.length === 0 ? {} : { notRepos: excluded }),
      // No repository has a number that is not one.
      ...(repoId === undefined ? {} : { repoNumber: /^\d{1,15}$/.test(repoId) ? Number(repoId) : -1 }),
      ...(query.gitForkProtection === undefined
        ? {}
        : { gitForkProtection: query.gitForkProtection === '1' }),
    },
  }
}

/** Names are in lower case. */
export const readSearch = (search: string | undefined): Pick<ProjectFilter, 'search'> =>
  search === undefined || search === '' ? {} : { search: search.toLowerCase() }
