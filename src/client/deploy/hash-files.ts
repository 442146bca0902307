import { forEachAtOnce } from './pool.ts'
import type { HashedFile, SourceFile } from './source-file.ts'

const AT_ONCE = 16

/** The SHA-1 of every file. At most `AT_ONCE` small files, or pieces of large ones, are in memory. */
export async function hashFiles(
  files: readonly SourceFile[],
  onFile: (file: HashedFile) => void,
  signal?: AbortSignal,
): Promise<HashedFile[]> {
  const hashed: HashedFile[] = []
  await forEachAtOnce(files, AT_ONCE, async (file, index) => {
    signal?.throwIfAborted()
    const done = { ...file, ...(await file.hash(signal)) }
    hashed[index] = done
    onFile(done)
  })
  return hashed
}
