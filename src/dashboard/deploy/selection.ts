import { chooseFiles } from '#client/deploy/left-out.ts'
import type { MemoryFile } from '#client/deploy/memory-file.ts'

/** What somebody wants to deploy, before and after what is left out. */
export interface Selection {
  /** Of the folder or the zip; a proposal for the project's name. */
  readonly name: string
  readonly files: readonly MemoryFile[]
  readonly bytes: number
  /** How many of the files were left out. */
  readonly leftOut: number
}

/** More than an installation takes, even with what is left out. */
export const MAX_FOUND = 200_000

export class SelectionError extends Error {}

export const tooMany = () =>
  new SelectionError(
    `That's more than ${MAX_FOUND} files. Choose the folder that contains the site, without its dependencies.`,
  )

/** A single folder around everything is not part of the site: zips mostly have one. */
export function withoutTopFolder(files: readonly MemoryFile[]): {
  readonly top: string
  readonly files: readonly MemoryFile[]
} {
  const top = files[0]?.path.split('/')[0] ?? ''
  const all = files.length > 0 && files.every(({ path }) => path.startsWith(`${top}/`))
  if (!all) return { top: '', files }
  return { top, files: files.map((file) => renamed(file, file.path.slice(top.length + 1))) }
}

const renamed = (file: MemoryFile, path: string): MemoryFile => ({ ...file, path, bytes: () => file.bytes() })

export async function select(name: string, found: readonly MemoryFile[]): Promise<Selection> {
  if (found.length > MAX_FOUND) throw tooMany()
  const files = await chooseFiles(found)
  if (files.length === 0)
    throw new SelectionError(
      found.length === 0
        ? 'The folder is empty.'
        : 'All files are excluded by .gitignore, .vercelignore or .aloftignore. Choose the folder that contains the site.',
    )
  return {
    name,
    files,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    leftOut: found.length - files.length,
  }
}

const MAX_NAME = 52

/** What a project can be called, out of any text. Dashes at the end may still grow into something. */
export const nameFrom = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, MAX_NAME)
