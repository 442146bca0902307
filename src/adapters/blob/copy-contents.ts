import type { BlobDigest, BlobStore, StoredBlob } from '#core/ports/blob-store.ts'
import { BlobError } from '#core/ports/blob-store.ts'

interface CopyOptions {
  readonly from: Pick<BlobStore, 'read' | 'open'>
  readonly to: Pick<BlobStore, 'put' | 'putBytes'>
  readonly signal?: AbortSignal
  /** Hears of every batch which of it have been stored: neither those that were damaged nor those that have gone. */
  readonly onCopied: (copied: readonly StoredBlob[], batch: readonly StoredBlob[]) => Promise<void> | void
}

const BATCH = 500
const AT_ONCE = 16
/** Contents up to this size are copied many at a time. */
const SMALL = 64 << 10

/** Copies contents from one store to another, each checked by its hash. */
export async function copyContents(
  contents: AsyncIterable<StoredBlob>,
  { from, to, signal, onCopied }: CopyOptions,
): Promise<void> {
  async function copyOne({ sha256, size }: StoredBlob): Promise<boolean> {
    if (size <= SMALL) {
      const bytes = await from.read(sha256)
      if (bytes === undefined) return false
      await to.putBytes(bytes)
      return true
    }
    const stream = await from.open(sha256)
    if (stream === undefined) return false
    const accept = (digest: BlobDigest) => {
      if (digest.sha256 !== sha256)
        throw new BlobError('corrupt', `The stored content of ${sha256} is damaged`)
    }
    try {
      await to.put(stream, { maxBytes: size, sizeHint: size, accept })
      return true
    } finally {
      stream.destroy()
    }
  }

  /** A content that is damaged where it is was noted by the store that found it so, and is gone. */
  const copyIfSound = (blob: StoredBlob): Promise<boolean> =>
    copyOne(blob).catch((error: unknown) => {
      if (error instanceof BlobError && error.kind === 'corrupt') return false
      throw error
    })

  const copyAll = async (batch: readonly StoredBlob[]) => {
    if (batch.length === 0 || signal?.aborted) return
    const results = await Promise.all(batch.map(copyIfSound))
    await onCopied(
      batch.filter((_, n) => results[n]),
      batch,
    )
  }
  const small: StoredBlob[] = []
  const large: StoredBlob[] = []
  for await (const blob of contents) {
    if (signal?.aborted) break
    if (blob.size <= SMALL) small.push(blob)
    else large.push(blob)
    if (small.length === BATCH) await copyAll(small.splice(0))
    if (large.length === AT_ONCE) await copyAll(large.splice(0))
  }
  await copyAll(small)
  await copyAll(large)
}
