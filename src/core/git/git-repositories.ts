import type { Readable } from 'node:stream'

export interface GitCommit {
  readonly oid: string
  readonly author: string
  /** All of it, cut where it is very long. */
  readonly message: string
}

export interface TreeEntry {
  readonly path: string
  /** As git writes it: 100644, 100755, 120000 or 160000. */
  readonly mode: string
  readonly oid: string
  /** Zero for what is no file. */
  readonly size: number
}

/** A request of git's own protocol over HTTP, as a CGI program is told it. */
export interface GitHttpRequest {
  readonly method: 'GET' | 'POST'
  /** What follows the repository, such as `/info/refs`. */
  readonly path: string
  readonly query: string
  readonly contentType?: string | undefined
  readonly protocol?: string | undefined
  readonly body?: AsyncIterable<Uint8Array> | undefined
  /** Larger packs are refused. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

export interface GitHttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
  /** Once the program is over. */
  readonly ended: Promise<void>
}

/**
 * The bare repositories of this installation, by their ids. Whatever git is asked to do runs without hooks, without
 * the configuration of anybody, within limits of time and size, and where the machine can in a sandbox that sees
 * nothing but the repository.
 */
export interface GitRepositories {
  /** Makes an empty one where there is none. */
  ensure(id: string): Promise<void>
  /** With its copies of submodules. Absent ones are no error. */
  remove(id: string): Promise<void>
  ids(): Promise<readonly string[]>
  /**
   * Gives back what no branch and no tag leads to any more, and packs what is left. People can push and fetch
   * meanwhile, and whenever it is killed nothing is lost that it should keep. Answers whether there was anything to do.
   */
  tidy(id: string, options: TidyOptions): Promise<boolean>
  /** Removes what processes that were killed have left beside the repositories. */
  removeLeftovers(): Promise<void>
  /** What it takes of this machine's disk; undefined where there is no such repository. */
  bytes(id: string): Promise<number | undefined>
  /** All branches and tags. Empty where there is no such repository. */
  refs(id: string): Promise<ReadonlyMap<string, string>>
  /** Branches and tags as they were fetched from elsewhere, which may be newer than `refs`. */
  incoming(id: string): Promise<ReadonlyMap<string, string>>
  /** Moves refs to what was fetched. */
  accept(
    id: string,
    updates: readonly { readonly ref: string; readonly after: string | null }[],
  ): Promise<void>
  /** The branch that a clone begins with, where the repository has it. */
  head(id: string): Promise<string | undefined>
  setHead(id: string, branch: string): Promise<void>
  /** Undefined where the repository has no such commit. */
  commit(id: string, oid: string): Promise<GitCommit | undefined>
  /** Rejects a commit that has more files than a deployment can have. */
  tree(id: string, oid: string): Promise<readonly TreeEntry[]>
  /** Contents in any order; each has to be read or destroyed before the next comes. Sizes are those of `tree`. */
  contents(id: string, entries: readonly Pick<TreeEntry, 'oid' | 'size'>[]): AsyncIterable<GitContent>
  /** Paths that differ; undefined where one of the commits is not there any more. */
  changed(id: string, from: string, to: string): Promise<readonly string[] | undefined>
  /** Speaks git's protocol with a client. */
  http(id: string, request: GitHttpRequest): Promise<GitHttpAnswer>
  /** Sends what a client on a connection of its own fetches, in as many turns as the client takes. */
  uploadPack(
    id: string,
    client: {
      readonly input: AsyncIterable<Uint8Array>
      readonly protocol?: string | undefined
      readonly signal: AbortSignal
    },
  ): Promise<{ readonly output: Readable; readonly ended: Promise<void> }>
}

export interface TidyOptions {
  readonly now: number
  /** What was added since stays, whatever leads to it. */
  readonly before: number
  /** Refs that are given up. */
  readonly drop: (ref: string) => boolean
  readonly signal: AbortSignal
}

/** Under which refs of repositories elsewhere are kept. */
export const INCOMING = 'refs/aloft/'

/** Between the id of a project and what tells its copies of submodules apart. */
const COPY = '--'
export const copyOf = (projectId: string, key: string): string => `${projectId}${COPY}${key}`
export const isCopy = (id: string): boolean => id.includes(COPY)
export const projectOfCopy = (id: string): string => id.split(COPY, 1)[0] ?? id
/** Room that is held for a push counts like a copy whose key begins so; the time at which the push began comes next. */
export const HELD = 'held-'

/** Stands for the repository of a project that nobody has pushed to yet. */
export const EMPTY_REPOSITORY = 'empty'

export type GitContent =
  | { readonly oid: string; readonly size: number; readonly bytes: Buffer }
  | { readonly oid: string; readonly size: number; readonly stream: Readable }

/** Git could not do what it was asked for. */
export class GitError extends Error {
  override readonly name = 'GitError'
}
