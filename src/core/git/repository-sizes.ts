import type { GitRepositories } from './git-repositories.ts'
import type { GitRemotes, RemoteAccess } from './source/source.ts'

/**
 * What repositories take of the storage of their accounts, with the copies of submodules. Each is measured by whoever
 * changes it, so that nobody who asks has to.
 */
export interface RepositorySizeStore {
  /** Of a repository, or of a copy for one. Nothing is remembered of a project that is gone. */
  set(repository: string, bytes: number): Promise<void>
  /** Of one that was removed, with the copies for it. */
  clear(repository: string): Promise<void>
  /** Of all repositories of an account together. */
  used(ownerId: string): Promise<number>
  /** Forgets what was held for pushes that began before. */
  forgetHeld(before: number): Promise<void>
  /** Of the repository of a project, with the copies for it. */
  ofProject(projectId: string): Promise<number>
}

/** Measures a repository after it has changed. */
export type Measure = (repository: string) => Promise<void>

export const createMeasure =
  (repositories: Pick<GitRepositories, 'bytes'>, sizes: Pick<RepositorySizeStore, 'set'>): Measure =>
  async (repository) => {
    const bytes = await repositories.bytes(repository)
    // Another machine may have it.
    if (bytes !== undefined) await sizes.set(repository, bytes)
  }

/** What is removed takes nothing any more. */
export const measuredRepositories = (
  repositories: GitRepositories,
  sizes: Pick<RepositorySizeStore, 'clear'>,
): GitRepositories => ({
  ...repositories,
  async remove(id) {
    await repositories.remove(id)
    await sizes.clear(id)
  },
})

/**
 * Fetches no more than there is room for, whoever asks for it, and measures what was fetched, also where that failed half-way.
 * `room` is that of the account of a repository.
 */
export function measuredRemotes(
  remotes: GitRemotes,
  measure: Measure,
  room: (repository: string) => Promise<number>,
): GitRemotes {
  const measured =
    <A extends readonly unknown[], R>(
      call: (repository: string, access: RemoteAccess, ...rest: A) => Promise<R>,
    ) =>
    async (repository: string, access: RemoteAccess, ...rest: A): Promise<R> => {
      const maxBytes = await room(repository)
      return call(repository, { ...access, maxBytes }, ...rest).finally(() => measure(repository))
    }
  return {
    ...remotes,
    fetch: measured(remotes.fetch),
    fetchCommit: measured(remotes.fetchCommit),
    fetchPull: measured(remotes.fetchPull),
  }
}
