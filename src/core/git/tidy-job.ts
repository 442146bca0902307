import { DAY, HOUR } from '#contract/time.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { Clock } from '../ports/clock.ts'
import { GitError, type GitRepositories, INCOMING, projectOfCopy } from './git-repositories.ts'
import type { PullStore } from './pull/pull.ts'
import type { GitObjectStore } from './push/push-store.ts'
import type { Measure } from './repository-sizes.ts'

interface TidyParts {
  readonly repositories: Pick<GitRepositories, 'ids' | 'tidy' | 'removeLeftovers'>
  readonly measure: Measure
  readonly objects: Pick<GitObjectStore, 'prune'>
  readonly pulls: Pick<PullStore, 'open'>
  readonly clock: Clock
}

/** How long a commit that no branch and no tag leads to any more can still be deployed once more. */
const COMMITS_KEPT = 14 * DAY
const BATCH = 500

/** Gives back what repositories hold of branches and pull requests that are gone. */
export const createTidyJob = ({ repositories, measure, objects, pulls, clock }: TidyParts): JobHandler => ({
  kind: 'git.tidy',
  summary: 'Free the space of deleted branches, and pack repositories',
  timeLimit: 2 * HOUR,
  maxAttempts: 3,
  every: 6 * HOUR,
  async run(_payload, { signal, log }) {
    await repositories.removeLeftovers()
    for (const id of await repositories.ids()) {
      if (signal.aborted) return
      if (!id.startsWith('prj_')) continue
      const open = new Set(
        (await pulls.open(projectOfCopy(id))).map(({ number }) => `${INCOMING}pulls/${number}`),
      )
      const now = clock.now()
      try {
        // What was fetched for one deployment is fetched again where it is wanted once more.
        const drop = (ref: string) =>
          ref.startsWith(`${INCOMING}commits/`) || (ref.startsWith(`${INCOMING}pulls/`) && !open.has(ref))
        await repositories.tidy(id, { now, before: now - COMMITS_KEPT, drop, signal })
        await measure(id)
      } catch (error) {
        if (!(error instanceof GitError) || signal.aborted) throw error
        // One that is damaged keeps none of the others from being tidied.
        log.warn({ err: error, repository: id }, 'a repository could not be packed')
      }
    }
    let after: Awaited<ReturnType<GitObjectStore['prune']>> | undefined
    do after = await objects.prune(after, BATCH)
    while (after !== undefined && !signal.aborted)
  },
})
