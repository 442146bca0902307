/** What machines have in common besides the files of accounts. */
export type SharedKind = 'git' | 'git-gone' | 'git-refs' | 'build-cache' | `page of ${string}`

const PAGE = 'page of '

/** Pages of a deployment; they go with it. */
export const pagesOf = (deploymentId: string): SharedKind => `${PAGE}${deploymentId}`

/** What things of a kind belong to, and go with. */
export const deploymentOf = (kind: SharedKind): string | undefined =>
  kind.startsWith(PAGE) ? kind.slice(PAGE.length) : undefined

export interface SharedContent {
  readonly sha256: string
  readonly size: number
}

export interface SharedThing {
  /** The text that whoever keeps it gave. */
  readonly details: string
  /** Contents of the blob store by their paths in it; they stay there for as long as it names them. */
  readonly contents: ReadonlyMap<string, SharedContent>
}

interface SizedThing {
  readonly name: string
  readonly bytes: number
}

/**
 * Things that any machine makes and any other takes up: a text, and contents of the blob store. A thing has versions, from 1
 * on; each replaces the one before as a whole.
 */
export interface SharedThingStore {
  /** 0 where there is none. */
  version(kind: SharedKind, name: string): Promise<number>
  find(kind: SharedKind, name: string): Promise<(SharedThing & { readonly version: number }) | undefined>
  /**
   * Makes the version after the given one; false, and nothing changes, where another machine has made it already, or where
   * what it belongs to was deleted.
   */
  put(kind: SharedKind, name: string, after: number, thing: SharedThing, usedAt: number): Promise<boolean>
  /** Absent is no error. */
  remove(kind: SharedKind, name: string): Promise<void>
  removeAll(kind: SharedKind): Promise<void>
  names(kind: SharedKind): Promise<readonly string[]>
  /** Names of those that were not put since, the oldest first. */
  unused(kind: SharedKind, before: number, limit: number): Promise<readonly string[]>
  /** Those whose names begin with this text, the newest first, and what their contents take. */
  under(kind: SharedKind, prefix: string): Promise<readonly SizedThing[]>
  /** Those that were put last, the newest first, and what their contents take. */
  newest(kind: SharedKind, limit: number): Promise<readonly SizedThing[]>
}
