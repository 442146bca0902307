import type { Readable } from 'node:stream'

/** What a whole content is, as far as its bytes tell. The SHA-256 (64 lower-case hex digits) is its name. */
export interface BlobDigest {
  readonly sha256: string
  readonly sha1: string
  readonly size: number
}

export interface StoredBlob {
  readonly sha256: string
  readonly size: number
  /** Milliseconds since the epoch of the last put of this content, be it the first or a repeat. */
  readonly putAt: number
}

export interface PutOptions {
  /** One byte more rejects with `too_large`. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
  /** The announced size, if any. Never trusted: it only chooses the way in and refuses early. */
  readonly sizeHint?: number
  /** Called once with the digest of the whole content before any of it is stored; a throw rejects the put with it. */
  readonly accept?: (digest: BlobDigest) => void | Promise<void>
  /** The chunks are nobody else's: the memory of each may be given back as soon as it is stored. */
  readonly ownsChunks?: boolean
  /**
   * Asked while it comes: whether others want the CPU more. As long as they do, all contents that give way come in at a pace that leaves
   * most of it to them.
   */
  readonly givesWay?: () => boolean
}

/** Like `slice`: from `start` up to but not including `end`, which is the size where left out. */
export interface ByteRange {
  readonly start: number
  readonly end?: number
}

export interface DeleteOptions {
  /**
   * Spares what was put at or after this time. A collector passes a time further back than anybody takes from a put
   * to writing the reference, so that content put again just now, whose reference is not yet written, survives.
   */
  readonly notPutSince?: number
}

/**
 * Immutable contents named by their SHA-256, shared by every process of an installation.
 *
 * - Durable: once `put` or `putBytes` resolves, the content outlives the death of any process and a power cut, and
 *   every process sees it at once. One that rejects leaves nothing behind; where the process dies first, the content
 *   is stored whole or not at all.
 * - Repeatable: putting what is stored already is cheap, stores no second copy, and counts as a put for `putAt`.
 * - Checked: `read` gives back only bytes that hash to the name, and rejects with `corrupt` where they do not.
 * - A content that is found damaged, whoever reads it, is absent from then on: putting it again heals it.
 * - Absent is `undefined`, never an error; a name that is not 64 lower-case hex digits rejects with `bad_name`.
 * - A content being read when it is deleted is read to its end.
 * - A machine may keep copies: `read` and `open` may find there what was deleted by another machine. `stat` and `list`
 *   never do.
 */
export interface BlobStore {
  /**
   * Streams with back-pressure in bounded memory. The source stays the caller's: it is not destroyed, and on a
   * rejection what is left of it is unread. A source that fails, and an abort, reject with their own reason.
   */
  put(source: Readable | AsyncIterable<Uint8Array>, options: PutOptions): Promise<BlobDigest>

  /**
   * For content in memory. Calls of the same moment share the cost of being made durable, so many small contents
   * are best put all at once. The bytes must not change until it settles.
   */
  putBytes(bytes: Uint8Array): Promise<BlobDigest>

  /** The whole content; meant for what fits in memory. */
  read(sha256: string): Promise<Buffer | undefined>

  /**
   * Content as a stream that the caller must consume or destroy. A range not within the content is `bad_range`. A whole
   * content is checked while it is read: one that is damaged fails before its last bytes. Of one that is not known to be
   * sound, a part is given out once all of it was checked; where that takes long, the stream fails as soon as it is found
   * damaged.
   */
  open(sha256: string, range?: ByteRange): Promise<Readable | undefined>

  /** Reads all of a content and tells whether it is what it was. */
  verify(sha256: string): Promise<'sound' | 'damaged' | 'absent'>

  /** Those of the given that are stored, by name. */
  stat(sha256s: readonly string[]): Promise<ReadonlyMap<string, StoredBlob>>

  /** Deletes and tells how many were there; absent ones are no error. May take the time to give space back. */
  delete(sha256s: readonly string[], options?: DeleteOptions): Promise<number>

  /** Every content in the order of names, after the given one. One put or deleted meanwhile may be seen or not. */
  list(after?: string): AsyncIterable<StoredBlob>

  /** Finishes what is being made durable and frees the store. Puts still reading their source reject with `closed`. */
  close(): Promise<void>
}

export type BlobFault = 'too_large' | 'no_space' | 'corrupt' | 'bad_name' | 'bad_range' | 'closed'

export class BlobError extends Error {
  override readonly name = 'BlobError'
  readonly kind: BlobFault

  constructor(kind: BlobFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

const NAME = /^[0-9a-f]{64}$/

export const isBlobName = (name: unknown): name is string => typeof name === 'string' && NAME.test(name)

/** Every adapter calls this before a name becomes part of a path, a key or a query. */
export function assertBlobName(name: unknown): asserts name is string {
  if (!isBlobName(name)) throw new BlobError('bad_name', 'A blob is named by 64 lower-case hex digits')
}
