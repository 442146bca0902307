import type { StoredBlob } from '#core/ports/blob-store.ts'
import { PREFIXES } from './folder/layout.ts'
import type { BlobIndex } from './index/blob-index.ts'
import type { LargeFiles } from './large-files.ts'

const PAGE = 512

/** Merges the index and the folders of large files, one prefix of names at a time, so that memory stays small. */
export async function* listBlobs(
  index: BlobIndex,
  large: LargeFiles,
  after: string | undefined,
): AsyncGenerator<StoredBlob> {
  let last = after ?? ''
  const folders = await large.prefixes()
  for (const prefix of PREFIXES) {
    if (prefix < last.slice(0, 2)) continue
    const names = folders.has(prefix) ? await large.names(prefix) : []
    const files = names.filter((name) => name > last)
    let page: StoredBlob[] = []
    let more = true
    for (;;) {
      if (page.length === 0 && more) {
        page = await index.read((rows) => rows.page(last, prefix.padEnd(64, 'f'), PAGE))
        more = page.length === PAGE
      }
      const [small] = page
      const [file] = files
      if (small === undefined && file === undefined) break
      const fromIndex = small !== undefined && (file === undefined || small.sha256 <= file)
      const found = fromIndex ? small : await large.stat(file as string)
      if (fromIndex) page.shift()
      if (file !== undefined && (!fromIndex || small.sha256 === file)) files.shift()
      if (found === undefined) continue
      last = found.sha256
      yield found
    }
  }
}
