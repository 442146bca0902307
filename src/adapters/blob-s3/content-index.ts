import type { StoredBlob } from '#core/ports/blob-store.ts'

/** A content, and where its bytes are. */
export interface PlacedContent extends StoredBlob {
  /** The key of an object, which holds one large content or many small ones. */
  readonly object: string
  readonly start: number
}

export interface StoredObject {
  readonly key: string
  readonly size: number
}

/** What an object costs for each content in it, besides its bytes: one that holds empty contents only is still in use. */
export const RECORD_OVERHEAD = 52

/**
 * Where each content is in the object store, shared by every machine: the shared database.
 *
 * An object is noted before it is uploaded, and contents are added to it once, after; so an object that is in use never
 * loses its upload to a sweep, and one that has become unused is never used again.
 */
export interface ContentIndex {
  /** Counts as a put of those that are there; answers them. */
  touch(sha256s: readonly string[], putAt: number): Promise<ReadonlySet<string>>

  /** Before an upload, so that one that never ends is found. */
  noteUpload(key: string, at: number): Promise<void>

  /**
   * After the upload. Contents that somebody else has added meanwhile stay where they are and count as put again. Answers
   * how many are in the object now; with none it is unused from the start. Rejects where the object was forgotten meanwhile.
   */
  add(object: StoredObject, contents: readonly Omit<PlacedContent, 'object'>[]): Promise<number>

  find(sha256s: readonly string[]): Promise<readonly PlacedContent[]>

  /** In the order of names. */
  page(after: string, limit: number): Promise<readonly StoredBlob[]>

  /** Removes those not put at or after this time, and answers them. Objects that hold nothing any more are unused. */
  remove(sha256s: readonly string[], notPutSince: number, at: number): Promise<readonly string[]>

  /**
   * Removes a content where it is at this place, since it was found damaged there, and tells whether it was: it may have been
   * put again somewhere else. Its object is suspect from then on: it is not put together with others, nor soon removed.
   */
  removeAt(place: Pick<PlacedContent, 'sha256' | 'object' | 'start'>, at: number): Promise<boolean>

  /** Packs that are mostly empty, or small; the emptiest first. */
  wasteful(limit: number): Promise<readonly StoredObject[]>

  contentsOf(key: string): Promise<readonly PlacedContent[]>

  /** After the upload of `object`, which holds copies: those that are still in `from` are in it from now on. Rejects as `add` does. */
  move(from: string, object: StoredObject, contents: readonly PlacedContent[], at: number): Promise<void>

  /**
   * Objects that have been unused since before the first time, uploads that began before the second and have not ended, and
   * objects that are suspect and have been unused since before the third.
   */
  removable(
    unusedBefore: number,
    begunBefore: number,
    suspectBefore: number,
    limit: number,
  ): Promise<readonly string[]>

  /** What all objects take. */
  bytes(): Promise<number>

  /** After it was removed. */
  forget(key: string): Promise<void>
}
