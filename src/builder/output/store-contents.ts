import type { OutputContent } from '#core/output/output.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import { BadIndex } from './check-index.ts'
import { openResult, readResult } from './result-files.ts'

export type ContentStore = Pick<BlobStore, 'put' | 'putBytes'>

const SMALL = 2 ** 20
/** How much of small contents is in memory at once. */
const BATCH_BYTES = 32 * 2 ** 20
const BATCH_FILES = 256

interface Numbered {
  readonly number: number
  readonly size: number
}

/** Puts the numbered files of a folder into the store. Each must have the size that is told of it. */
export async function storeContents(
  store: ContentStore,
  folder: string,
  sizes: readonly number[],
  signal?: AbortSignal,
): Promise<readonly OutputContent[]> {
  const stored: OutputContent[] = []
  const keep = ({ number }: Numbered, { sha1, sha256, size }: OutputContent) => {
    if (size !== sizes[number]) throw new BadIndex(`content ${number} does not have the announced size`)
    stored[number] = { sha1, sha256, size }
  }
  const all = sizes.map((size, number) => ({ number, size }))
  for (const batch of batches(all.filter(({ size }) => size <= SMALL))) {
    signal?.throwIfAborted()
    await Promise.all(
      batch.map(async (content) =>
        keep(content, await store.putBytes(await readResult(folder, String(content.number), content.size))),
      ),
    )
  }
  for (const content of all.filter(({ size }) => size > SMALL)) {
    const { file } = await openResult(folder, String(content.number), content.size)
    try {
      const source = file.createReadStream({ autoClose: false, end: content.size })
      const options = { maxBytes: content.size, sizeHint: content.size, ...(signal ? { signal } : {}) }
      keep(content, await store.put(source, options).finally(() => source.destroy()))
    } finally {
      await file.close()
    }
  }
  return stored
}

function batches(contents: readonly Numbered[]): Numbered[][] {
  const made: Numbered[][] = []
  let bytes = 0
  for (const content of contents) {
    const last = made.at(-1)
    bytes += content.size
    if (last === undefined || bytes > BATCH_BYTES || last.length >= BATCH_FILES) {
      made.push([content])
      bytes = content.size
    } else last.push(content)
  }
  return made
}
