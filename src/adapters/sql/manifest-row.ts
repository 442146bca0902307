import { DEFAULT_MODE, type ManifestFile } from '#core/deployment/manifest.ts'
import type { SiteFile } from '#core/site/site.ts'

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

export interface ManifestRow {
  readonly sha1s: string
  readonly files: string
}

export function fromManifest(manifest: readonly ManifestFile[]): ManifestRow {
  const hidden = manifest.flatMap((file, i) => (file.hidden ? [i] : []))
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

export function toManifest(row: ManifestRow): ManifestFile[] {
  const { paths, sha256s, sizes, modes, hidden }: Columns = JSON.parse(row.files)
  const hashes = sha256s.split(' ')
  const sha1s = row.sha1s.split(' ')
  const isHidden = new Set(hidden)
  return paths.map((path, i) => ({
    path,
    sha1: sha1s[i] ?? '',
    sha256: hashes[i] ?? '',
    size: sizes[i] ?? 0,
    mode: modes?.[i] ?? DEFAULT_MODE,
    ...(isHidden.has(i) ? { hidden: true } : {}),
  }))
}

/** What visitors can get of it. */
export function toSiteFiles(files: string): Map<string, SiteFile> {
  const { paths, sha256s, sizes, hidden }: Columns = JSON.parse(files)
  const hashes = sha256s.split(' ')
  const isHidden = new Set(hidden)
  const served = new Map<string, SiteFile>()
  for (let i = 0; i < paths.length; i++)
    if (!isHidden.has(i)) served.set(paths[i] ?? '', { sha256: hashes[i] ?? '', size: sizes[i] ?? 0 })
  return served
}

export const sha1sOf = (text: string): string[] => text.split(' ')
