import { DEFAULT_MODE, type ManifestFile } from '#core/deployment/file/manifest.ts'
import { parseJsonInSlices } from '#core/json-slices.ts'
import type { SiteFile } from '#core/site/site.ts'
import { inSlices } from '#core/slices.ts'
import { inSteps } from '../database/in-steps.ts'

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

/** Files that are taken at a time, within a millisecond or two. */
const STEP = 5000

/** The columns of a manifest as JSON, made a step at a time and put together at once: it is a megabyte for 10,000 files. */
export async function packManifest(manifest: readonly ManifestFile[]): Promise<ManifestRow> {
  const texts = {
    paths: [] as string[],
    sha256s: [] as string[],
    sizes: [] as string[],
    sha1s: [] as string[],
  }
  const hidden: number[] = []
  let isUsual = true
  let count = 0
  await inSteps(manifest, STEP, async (step) => {
    const [paths, sha256s, sizes, sha1s]: [string[], string[], number[], string[]] = [[], [], [], []]
    for (const file of step) {
      if (file.hidden) hidden.push(count)
      if (file.mode !== DEFAULT_MODE) isUsual = false
      paths.push(file.path)
      sha256s.push(file.sha256)
      sizes.push(file.size)
      sha1s.push(file.sha1)
      count++
    }
    const comma = texts.paths.length > 0 ? ',' : ''
    const space = texts.paths.length > 0 ? ' ' : ''
    texts.paths.push(comma, JSON.stringify(paths).slice(1, -1))
    // Hexadecimal digits and spaces are written in JSON as they are.
    texts.sha256s.push(space, sha256s.join(' '))
    texts.sizes.push(comma, sizes.join(','))
    texts.sha1s.push(space, sha1s.join(' '))
  })
  const files = [
    '{"paths":[',
    ...texts.paths,
    '],"sha256s":"',
    ...texts.sha256s,
    '","sizes":[',
    ...texts.sizes,
    ']',
  ]
  if (!isUsual) files.push(',"modes":', JSON.stringify(manifest.map(({ mode }) => mode)))
  if (hidden.length > 0) files.push(',"hidden":', JSON.stringify(hidden))
  files.push('}')
  return { sha1s: texts.sha1s.join(''), files: files.join('') }
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
