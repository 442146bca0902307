import type { BlobStore } from '../ports/blob-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { FileStore } from './file-store.ts'

interface CheckParts {
  readonly blobs: Pick<BlobStore, 'stat'>
  readonly files: Pick<FileStore, 'addDamaged'>
  readonly clock: Clock
}

/** Storing them again mends it. */
export class ContentsGone extends Error {
  override readonly name = 'ContentsGone'
}

/**
 * After an account was given contents that were stored a while before: until then a clock that had jumped a day ahead made
 * them look like what nobody needs. What is gone, the account does not have.
 */
export async function checkPresent(
  { blobs, files, clock }: CheckParts,
  contents: readonly { readonly sha256: string }[],
): Promise<void> {
  const names = [...new Set(contents.map(({ sha256 }) => sha256))]
  const there = await blobs.stat(names)
  const gone = names.filter((sha256) => !there.has(sha256))
  if (gone.length === 0) return
  for (const sha256 of gone) await files.addDamaged(sha256, clock.now())
  throw new ContentsGone(`${gone.length} of ${names.length} contents that were stored are gone`)
}
