import { DeployError } from './deploy-error.ts'
import { type IgnoreRule, isIgnored, readIgnoreFile } from './ignore.ts'

/** The most files that an installation takes in one deployment. */
export const MAX_FILES = 100_000
export const IGNORE_BYTES = 1_000_000

export const IGNORE_FILES: readonly string[] = ['.gitignore', '.aloftignore']

/** Never part of a deployment, whatever an ignore file says. */
export const NEVER: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.aloft', 'node_modules'])
/** Not even through a link from elsewhere in the folder. */
export const PRIVATE: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.aloft'])
/** Left out unless an ignore file says otherwise (`!.env.local`). */
export const USUALLY = readIgnoreFile(
  '.gitignore\n.aloftignore\n.DS_Store\n.env.local\n.env.*.local\n.*.swp\nnpm-debug.log\n__pycache__/\n',
)

export function checkName(path: string): void {
  if (/\p{Cc}|\ufffd/u.test(path))
    throw new DeployError('bad_name', `${JSON.stringify(path)} has a name that is not valid in a URL.`)
}

interface ListedFile {
  readonly path: string
  readonly size: number
  bytes(): Promise<Uint8Array> | Uint8Array
}

/**
 * Of a list of files with their paths, those that belong to a deployment, in a fixed order: what `collectFiles` finds
 * in a folder. For pages, which are given the files of a folder as a list.
 */
export async function chooseFiles<File extends ListedFile>(files: readonly File[]): Promise<File[]> {
  const rules = new Map<string, readonly IgnoreRule[]>()
  for (const file of files) {
    const parts = file.path.split('/')
    const name = parts.pop() as string
    if (!IGNORE_FILES.includes(name) || file.size > IGNORE_BYTES || parts.some((part) => NEVER.has(part)))
      continue
    const folder = parts.join('/')
    const read = readIgnoreFile(new TextDecoder().decode(await file.bytes()), parts)
    // Of one folder, .aloftignore has the last word, in whatever order they come.
    const before = rules.get(folder) ?? []
    rules.set(folder, name === '.gitignore' ? [...read, ...before] : [...before, ...read])
  }

  const folders = new Map<string, { readonly out: boolean; readonly rules: readonly IgnoreRule[] }>()
  folders.set('', { out: false, rules: [...USUALLY, ...(rules.get('') ?? [])] })
  const folderOf = (parts: readonly string[]): { out: boolean; rules: readonly IgnoreRule[] } => {
    const path = parts.join('/')
    const known = folders.get(path)
    if (known !== undefined) return known
    const above = folderOf(parts.slice(0, -1))
    const out = above.out || NEVER.has(parts.at(-1) ?? '') || isIgnored(above.rules, parts, true)
    const found = { out, rules: [...above.rules, ...(rules.get(path) ?? [])] }
    folders.set(path, found)
    return found
  }

  const chosen = files.filter(({ path }) => {
    const parts = path.split('/')
    const folder = folderOf(parts.slice(0, -1))
    return !folder.out && !NEVER.has(parts.at(-1) ?? '') && !isIgnored(folder.rules, parts, false)
  })
  for (const { path } of chosen) checkName(path)
  if (chosen.length > MAX_FILES)
    throw new DeployError('too_many_files', `The folder contains more than ${MAX_FILES} files.`)
  return chosen.sort((a, b) => (a.path < b.path ? -1 : 1))
}
