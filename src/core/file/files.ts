import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { showLimit } from '#contract/amounts.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import { BATCH_LIMITS, type BatchedFile, unpackBatch } from '#contract/file-batch.ts'
import type { Context, Owner } from '../access/context.ts'
import { type BlobDigest, BlobError, type BlobStore } from '../ports/blob-store.ts'
import type { Clock } from '../ports/clock.ts'
import { readAtMost } from '../read-at-most.ts'
import { createTurns } from '../turns.ts'
import type { ContentRoom, Room } from '../usage/content-room.ts'
import type { FileStore } from './file-store.ts'
import { newBytes } from './new-bytes.ts'

/** The largest single file. */
export const MAX_FILE_BYTES = 5 * 1000 * 1000 * 1000

interface Upload {
  readonly body: Readable
  readonly digest: string | undefined
  /** Sizes that headers claim; whatever is claimed must be true. */
  readonly sizes: readonly number[]
  readonly signal?: AbortSignal
}

export interface Files {
  upload(ctx: Context, upload: Upload): Promise<void>
  /** Many small contents in one body, see `file-batch.ts`: all of them are stored, or none. */
  uploadBatch(ctx: Context, body: Readable): Promise<void>
}

interface FileParts {
  readonly blobs: BlobStore
  readonly store: Pick<FileStore, 'add' | 'claim'>
  readonly content: ContentRoom
  readonly clock: Clock
  /** Whether others want the CPU more than uploads do. */
  readonly givesWay?: () => boolean
  /** Told when an account gained a file: deployments may have waited for it. */
  readonly onUploaded: (owner: Owner) => Promise<void>
}

/** Batches of one account that are taken at the same time. */
const BATCHES_AT_ONCE = 8

export function createFiles({ blobs, store, content, clock, givesWay, onUploaded }: FileParts): Files {
  const batchTurns = createTurns(BATCHES_AT_ONCE)

  /** What the account has already takes no room. */
  async function unlessKnown(owner: Owner, digest: string, error: unknown): Promise<Room> {
    const known = (await store.claim(owner.id, [digest], clock.now())).get(digest)
    if (known === undefined) throw error
    return {
      ...{ most: known.size, limit: null, exceeded: () => error as AloftError },
      ...{ confirm: async () => {}, release() {} },
    }
  }

  const roomFor = (owner: Owner, digest: string, size: number | undefined): Promise<Room> =>
    content.take(owner, size).catch((error: unknown) => unlessKnown(owner, digest, error))

  /** The same for many: what of them is new to the account has to have room. */
  async function roomForAll(owner: Owner, files: readonly BatchedFile[]): Promise<Room> {
    const contents = files.map(({ sha1, bytes }) => ({ sha1, size: bytes.length }))
    try {
      return await content.take(
        owner,
        contents.reduce((sum, { size }) => sum + size, 0),
      )
    } catch {
      return content.take(owner, await newBytes(store, owner.id, contents, clock.now()))
    }
  }

  return {
    async upload(ctx, { body, digest: given, sizes, signal }) {
      if (given === undefined) throw invalidRequest('missing required header `x-platform-digest`')
      const digest = given.toLowerCase()
      if (!/^[0-9a-f]{40}$/.test(digest))
        throw invalidRequest('`x-platform-digest` should be a SHA-1 of 40 hex digits')
      if (new Set(sizes).size > 1) throw invalidRequest('`x-platform-size` and `Content-Length` differ')
      const [size] = sizes

      const room = await roomFor(ctx.owner, digest, size)
      const accept = async (got: BlobDigest) => {
        if (size !== undefined && got.size !== size)
          throw invalidRequest(`the body has ${got.size} bytes instead of the announced ${size}`)
        if (got.sha1 !== digest)
          throw invalidRequest(`\`x-platform-digest\` is not the SHA-1 of the body, which is ${got.sha1}`)
        await room.confirm(got.size).catch((error: unknown) => unlessKnown(ctx.owner, digest, error))
      }
      try {
        const stored = await blobs
          .put(body, {
            maxBytes: Math.min(MAX_FILE_BYTES, size ?? room.most),
            accept,
            ownsChunks: true,
            ...(givesWay === undefined ? {} : { givesWay }),
            ...(size === undefined ? {} : { sizeHint: size }),
            ...(signal === undefined ? {} : { signal }),
          })
          .catch((error: unknown) => {
            const isLonger = error instanceof BlobError && error.kind === 'too_large'
            if (isLonger && size === undefined && room.most < MAX_FILE_BYTES) throw room.exceeded()
            if (isLonger && size !== undefined && size <= MAX_FILE_BYTES)
              throw invalidRequest(`the body has more than the announced ${size} bytes`)
            return asAnswer(error)
          })
        await store.add(ctx.owner.id, [stored], clock.now(), room.limit)
      } finally {
        room.release()
      }
      await onUploaded(ctx.owner)
    },

    async uploadBatch(ctx, body) {
      // Each is in memory as a whole. Of those that wait for their turn nothing is read.
      const endTurn = await batchTurns.take(ctx.owner.id)
      try {
        await takeBatch(ctx, await readBatch(body))
      } finally {
        endTurn()
      }
      await onUploaded(ctx.owner)
    },
  }

  async function takeBatch(ctx: Context, bytes: Buffer): Promise<void> {
    const files = unpackBatch(bytes)
    if (typeof files === 'string') throw invalidRequest(`the body is not a batch of files: ${files}`)
    for (const { sha1, bytes } of files) {
      const got = hash('sha1', bytes)
      if (got !== sha1)
        throw invalidRequest(`a file in the batch has the SHA-1 ${got} instead of the announced ${sha1}`)
    }
    const room = await roomForAll(ctx.owner, files)
    try {
      const stored = await Promise.all(files.map(({ bytes }) => blobs.putBytes(bytes))).catch(asAnswer)
      await store.add(ctx.owner.id, stored, clock.now(), room.limit)
    } finally {
      room.release()
    }
  }
}

/** A batch is small, so that it can be looked at as a whole before anything of it is stored. */
const readBatch = (body: Readable): Promise<Buffer> => {
  const limit = BATCH_LIMITS.bytes
  const message = `A batch of files can have at most ${showLimit(limit)}.`
  return readAtMost(body, limit, () => new AloftError('payload_too_large', message, { limit }))
}

/** What can go wrong with a store of contents, in words for the caller. */
export function asAnswer(error: unknown): never {
  if (error instanceof BlobError && error.kind === 'too_large')
    throw new AloftError('payload_too_large', `A file can have at most ${showLimit(MAX_FILE_BYTES)}.`, {
      limit: MAX_FILE_BYTES,
    })
  if (error instanceof BlobError && error.kind === 'no_space')
    throw new AloftError(
      'service_unavailable',
      'There is no space left on the server’s disk. Nothing was stored.',
      {},
      { cause: error },
    )
  throw error
}
