import { DEFAULT_MODE, type ManifestFile } from '#core/deployment/manifest.ts'
import { parseJsonInSlices } from '#core/json-slices.ts'
import type { SiteFile } from '#core/site/site.ts'
import { inSlices } from '#core/slices.ts'

/**
 * A manifest as it is stored. Lists side by side are read several times faster than a list of objects, and
 * hashes, which are most of the bytes, fastest as one text; what most files have alike is left out.
 */
interface Columns {
  readonly paths: readonly string[]
  /** Separated by spaces; one that is not known yet is empty. */
  readonly sha256s: string
  readonly sizes: readonly number[]
  /** Left out when all have the default. */
  readonly modes?: readonly number[]
  /** The places of files that are not served. */
  readonly hidden?: readonly number[]
}

interface ManifestRow {
  readonly sha1s: string
  readonly files: string
}

export function fromManifest(manifest: readonly ManifestFile[]): ManifestRow {
  const hidden: number[] = []
  for (let i = 0; i < manifest.length; i++) if (manifest[i]?.hidden) hidden.push(i)
  const columns: Columns = {
    paths: manifest.map(({ path }) => path),
    sha256s: manifest.map(({ sha256 }) => sha256).join(' '),
    sizes: manifest.map(({ size }) => size),
    ...(manifest.some(({ mode }) => mode !== DEFAULT_MODE)
      ? { modes: manifest.map(({ mode }) => mode) }
      : {}),
    ...(hidden.length > 0 ? { hidden } : {}),
  }
  return { sha1s: manifest.map(({ sha1 }) => sha1).join(' '), files: JSON.stringify(columns) }
}

export async function toManifest(row: ManifestRow): Promise<ManifestFile[]> {
  const { paths, sha256s, sizes, modes, hidden } = await parseColumns<Columns>(row.files)
  const hashes = sha256s.split(' ')
  const sha1s = row.sha1s.split(' ')
  const isHidden = new Set(hidden)
  const files: ManifestFile[] = []
  await inSlices(paths, (path) => {
    const i = files.length
    files.push({
      path,
      sha1: sha1s[i] ?? '',
      sha256: hashes[i] ?? '',
      size: sizes[i] ?? 0,
      mode: modes?.[i] ?? DEFAULT_MODE,
      ...(isHidden.has(i) ? { hidden: true } : {}),
    })
  })
  return files
}

/** What visitors can get of it. */
export async function toSiteFiles(files: string): Promise<Map<string, SiteFile>> {
  const { paths, sha256s, sizes, hidden } = await parseColumns<Columns>(files)
  const hashes = sha256s.split(' ')
  const isHidden = new Set(hidden)
  const served = new Map<string, SiteFile>()
  let i = 0
  await inSlices(paths, (path) => {
    if (!isHidden.has(i)) served.set(path, { sha256: hashes[i] ?? '', size: sizes[i] ?? 0 })
    i++
  })
  return served
}

/** Lists side by side in a text that can be many megabytes long. */
export const parseColumns = async <T>(text: string): Promise<T> =>
  (text.length > LONG ? await parseJsonInSlices(Buffer.from(text)) : JSON.parse(text)) as T

const LONG = 128 * 1024

export const sha1sOf = (text: string): string[] => text.split(' ')
