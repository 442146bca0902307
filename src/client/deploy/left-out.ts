import { globBudget } from '#contract/glob/glob-budget.ts'
import { type IgnoreRule, readIgnoreFile } from '#contract/ignore/ignore.ts'
import { IGNORE_FILES, ignoreFilesAmong, leftOutBy } from '#contract/ignore/left-out.ts'
import { DeployError } from './deploy-error.ts'

/** The most files that an installation takes in one deployment. */
export const MAX_FILES = 100_000
export const IGNORE_BYTES = 1_000_000

/** Never part of a deployment, whatever an ignore file says. */
export const NEVER: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.aloft', 'node_modules'])
/** Not even through a link from elsewhere in the folder. */
export const PRIVATE: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.aloft'])
/** Left out unless an ignore file says otherwise (`!.env.local`). */
export const USUALLY = readIgnoreFile(
  `${IGNORE_FILES.join('\n')}\n.DS_Store\n.env.local\n.env.*.local\n.*.swp\nnpm-debug.log\n__pycache__/\n`,
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

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/**
 * Of a list of files with their paths, those that belong to a deployment, in a fixed order: what `collectFiles` finds
 * in a folder. For pages, which are given the files of a folder as a list.
 */
export async function chooseFiles<File extends ListedFile>(files: readonly File[]): Promise<File[]> {
  const mine = files.filter(({ path }) => !path.split('/').some((part) => NEVER.has(part)))
  const ignoreFiles = mine.filter(
    ({ path, size }) => IGNORE_FILES.includes(baseOf(path)) && size <= IGNORE_BYTES,
  )
  const rules = new Map<string, readonly IgnoreRule[]>()
  for (const [folder, own] of Map.groupBy(ignoreFiles, ({ path }) => folderOf(path))) {
    const byName = new Map(own.map((file) => [baseOf(file.path), file]))
    const read: IgnoreRule[] = []
    for (const name of ignoreFilesAmong([...byName.keys()])) {
      const text = new TextDecoder().decode(await byName.get(name)?.bytes())
      for (const rule of readIgnoreFile(text, folder === '' ? [] : folder.split('/'))) read.push(rule)
    }
    rules.set(folder, read)
  }
  const isOut = leftOutBy(rules, { usual: USUALLY, budget: globBudget(Number.POSITIVE_INFINITY) })
  const chosen = mine.filter(({ path }) => !isOut(path))
  for (const { path } of chosen) checkName(path)
  if (chosen.length > MAX_FILES)
    throw new DeployError('too_many_files', `The folder contains more than ${MAX_FILES} files.`)
  return chosen.sort((a, b) => (a.path < b.path ? -1 : 1))
}
