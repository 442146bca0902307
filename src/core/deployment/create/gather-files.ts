import type { FileStore, UploadedFile } from '../../file/file-store.ts'
import { inSlices } from '../../slices.ts'
import type { ManifestFile, RequestedFile } from '../file/manifest.ts'
import type { Work } from './decide.ts'
import type { StoredInline } from './inline-files.ts'

export interface GatheredFiles {
  readonly manifest: readonly ManifestFile[]
  /** SHA-1s, each once. */
  readonly missing: readonly string[]
  readonly totalSize: number
}

/**
 * Joins what is named with what the account has. A file of another size than was said is not there.
 * What was claimed stays for hours, so that this need not be done inside the transaction that refers to it.
 */
export async function gatherFiles(
  store: Pick<FileStore, 'claimEach'>,
  ownerId: string,
  files: readonly RequestedFile[],
  inline: StoredInline,
  now: number,
): Promise<GatheredFiles> {
  const wanted: string[] = []
  for (const file of files) if (!('bytes' in file)) wanted.push(file.sha1)
  const known = wanted.length > 0 ? await store.claimEach(ownerId, wanted, now) : []
  const missing = new Set<string>()
  const manifest: ManifestFile[] = []
  let totalSize = 0
  let next = 0
  await inSlices(files, (file) => {
    totalSize += file.size
    if ('bytes' in file) {
      const { path, mode, sha1, size } = file
      manifest.push({ path, mode, sha1, sha256: (inline.get(path) as UploadedFile).sha256, size })
      return
    }
    const content = known[next++]
    // What is missing keeps its place; the upload that brings it fills in the content.
    if (content?.size === file.size) file.sha256 = content.sha256
    else missing.add(file.sha1)
    manifest.push(file)
  })
  return { manifest, missing: [...missing], totalSize }
}

/** What came since it was looked for. Whatever comes later finds the deployment waiting for it. */
export async function fillMissing(
  store: FileStore,
  ownerId: string,
  { manifest, missing }: Pick<GatheredFiles, 'manifest' | 'missing'>,
  now: number,
): Promise<Pick<GatheredFiles, 'manifest' | 'missing'>> {
  if (missing.length === 0) return { manifest, missing }
  const known = await store.claim(ownerId, missing, now)
  if (known.size === 0) return { manifest, missing }
  const filled = manifest.map((file) =>
    file.sha256 === '' && known.get(file.sha1)?.size === file.size
      ? { ...file, sha256: known.get(file.sha1)?.sha256 ?? '' }
      : file,
  )
  const absent = new Set(filled.flatMap(({ sha1, sha256 }) => (sha256 === '' ? [sha1] : [])))
  return { manifest: filled, missing: missing.filter((sha1) => absent.has(sha1)) }
}

/** All files stay readable as source; only those that are served as they are can be seen by visitors. */
export async function servedOnly(
  manifest: readonly ManifestFile[],
  work: Work,
): Promise<readonly ManifestFile[]> {
  const paths = work.kind === 'files' ? work.inPlace : undefined
  if (paths === undefined || paths.length === manifest.length) return manifest
  const served = new Set(paths)
  const shown: ManifestFile[] = []
  await inSlices(manifest, (file) =>
    shown.push(served.has(file.path) ? file : { ...file, hidden: true as const }),
  )
  return shown
}
