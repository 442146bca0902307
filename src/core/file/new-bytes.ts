import type { FileStore, UploadedFile } from './file-store.ts'

/** How much more an account will hold with these contents: what it has already is not counted again. */
export async function newBytes(
  files: Pick<FileStore, 'claim'>,
  ownerId: string,
  contents: readonly Pick<UploadedFile, 'sha1' | 'size'>[],
  now: number,
): Promise<number> {
  const sizes = new Map(contents.map(({ sha1, size }) => [sha1, size]))
  const known = await files.claim(ownerId, [...sizes.keys()], now)
  let bytes = 0
  for (const [sha1, size] of sizes) if (!known.has(sha1)) bytes += size
  return bytes
}
