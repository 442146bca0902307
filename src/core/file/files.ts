import type { Readable } from 'node:stream'
import { AloftError } from '#contract/errors.ts'
import type { Context, Owner } from '../access/context.ts'
import { type BlobDigest, BlobError, type BlobStore } from '../ports/blob-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { ContentRoom, Room } from '../usage/content-room.ts'
import type { FileStore } from './file-store.ts'

/** The largest single file. */
export const MAX_FILE_BYTES = 5 * 1000 * 1000 * 1000

export interface Upload {
  readonly body: Readable
  readonly digest: string | undefined
  /** Sizes that headers claim; whatever is claimed must be true. */
  readonly sizes: readonly number[]
  readonly signal?: AbortSignal
}

export interface Files {
  upload(ctx: Context, upload: Upload): Promise<void>
}

interface FileParts {
  readonly blobs: BlobStore
  readonly store: Pick<FileStore, 'add' | 'claim'>
  readonly content: ContentRoom
  readonly clock: Clock
  /** Told when an account gained a file: deployments may have waited for it. */
  readonly onUploaded: (owner: Owner) => Promise<void>
}

const invalid = (why: string) => new AloftError('bad_request', `Invalid request: ${why}.`)

export function createFiles({ blobs, store, content, clock, onUploaded }: FileParts): Files {
  /** What the account has already takes no room. */
  async function roomFor(owner: Owner, digest: string, size: number | undefined): Promise<Room> {
    try {
      return await content.take(owner, size)
    } catch (error) {
      const known = (await store.claim(owner.id, [digest], clock.now())).get(digest)
      if (known === undefined) throw error
      return { most: known.size, exceeded: () => error as AloftError, release() {} }
    }
  }

  return {
    async upload(ctx, { body, digest: given, sizes, signal }) {
      if (given === undefined) throw invalid('missing required header `x-platform-digest`')
      const digest = given.toLowerCase()
      if (!/^[0-9a-f]{40}$/.test(digest))
        throw invalid('`x-platform-digest` should be a SHA-1 of 40 hex digits')
      if (new Set(sizes).size > 1) throw invalid('`x-platform-size` and `Content-Length` differ')
      const [size] = sizes

      const accept = (got: BlobDigest) => {
        if (size !== undefined && got.size !== size)
          throw invalid(`the body has ${got.size} bytes where ${size} were announced`)
        if (got.sha1 !== digest)
          throw invalid(`\`x-platform-digest\` is not the SHA-1 of the body, which is ${got.sha1}`)
      }
      const room = await roomFor(ctx.owner, digest, size)
      try {
        const stored = await blobs
          .put(body, {
            maxBytes: Math.min(MAX_FILE_BYTES, size === undefined ? room.most : MAX_FILE_BYTES),
            accept,
            ...(size === undefined ? {} : { sizeHint: size }),
            ...(signal === undefined ? {} : { signal }),
          })
          .catch((error: unknown) => {
            const isFull = size === undefined && room.most < MAX_FILE_BYTES
            if (isFull && error instanceof BlobError && error.kind === 'too_large') throw room.exceeded()
            return asAnswer(error)
          })
        await store.add(ctx.owner.id, [stored], clock.now())
      } finally {
        room.release()
      }
      await onUploaded(ctx.owner)
    },
  }
}

/** What can go wrong with a store of contents, in words for the caller. */
export function asAnswer(error: unknown): never {
  if (error instanceof BlobError && error.kind === 'too_large')
    throw new AloftError('payload_too_large', `A file may have at most ${MAX_FILE_BYTES} bytes.`, {
      limit: MAX_FILE_BYTES,
    })
  if (error instanceof BlobError && error.kind === 'no_space')
    throw new AloftError(
      'service_unavailable',
      'There is no space left to store files. Nothing was stored.',
      {},
      { cause: error },
    )
  throw error
}
