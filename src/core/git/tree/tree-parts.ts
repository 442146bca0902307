import type { FileStore } from '../../file/file-store.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ContentRoom } from '../../usage/content-room.ts'
import type { GitRepositories } from '../git-repositories.ts'
import type { GitObjectStore } from '../push/push-store.ts'

/** What the files of a commit are read from, and where they are stored. */
export interface StoreTreeParts {
  readonly repositories: Pick<GitRepositories, 'tree' | 'contents'>
  readonly objects: GitObjectStore
  readonly files: Pick<FileStore, 'add' | 'claim' | 'addDamaged'>
  readonly blobs: Pick<BlobStore, 'put' | 'putBytes' | 'stat'>
  readonly content: ContentRoom
  readonly clock: Clock
}
