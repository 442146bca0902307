import { buffer } from 'node:stream/consumers'
import { AloftError } from '#contract/errors.ts'
import { globBudget } from '#contract/glob/glob-budget.ts'
import { GlobError } from '#contract/glob/glob-error.ts'
import { type IgnoreRule, readIgnoreFile } from '#contract/ignore/ignore.ts'
import { IGNORE_FILES, ignoreFilesAmong, leftOutBy } from '#contract/ignore/left-out.ts'
import { baseOf, folderOf } from '../../detection/source-tree.ts'
import { inSlices } from '../../slices.ts'
import type { OwnedEntry } from './submodules.ts'
import type { StoreTreeParts } from './tree-parts.ts'

/** Of all ignore files of a commit together: far more than anybody writes. */
const MAX_BYTES = 64 * 1024
const MAX_LINE = 1024
/** Characters compared, of all files and patterns: about a second. */
const MAX_WORK = 100_000_000

/** What is in a commit is there in spite of `.gitignore`. */
const HEEDED: ReadonlySet<string> = new Set(IGNORE_FILES.filter((name) => name !== '.gitignore'))

const refuse = (message: string): never => {
  throw new AloftError('bad_request', message)
}

/**
 * The files of a commit without those that its ignore files leave out, which were never meant to be read by visitors:
 * where these files cannot be heeded, nothing is deployed.
 */
export async function withoutUnwanted(
  { repositories }: StoreTreeParts,
  files: readonly OwnedEntry[],
): Promise<readonly OwnedEntry[]> {
  const found = files.filter(({ path }) => HEEDED.has(baseOf(path)))
  if (found.length === 0) return files
  if (found.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES)
    refuse('.vercelignore and .aloftignore are too large: use fewer patterns.')
  const texts = await textsOf(repositories, found)
  const rules = new Map<string, readonly IgnoreRule[]>()
  for (const [folder, own] of Map.groupBy(found, ({ path }) => folderOf(path))) {
    const byName = new Map(own.map(({ path, oid }) => [baseOf(path), oid]))
    const base = folder === '' ? [] : folder.split('/')
    const read = ignoreFilesAmong([...byName.keys()]).flatMap((name) =>
      readIgnoreFile(texts.get(byName.get(name) as string) ?? refuse(`${name} could not be read.`), base),
    )
    rules.set(folder, read)
  }
  const isOut = leftOutBy(rules, { budget: globBudget(MAX_WORK) })
  const wanted: OwnedEntry[] = []
  try {
    await inSlices(files, (file) => {
      if (!isOut(file.path)) wanted.push(file)
    })
  } catch (error) {
    if (!(error instanceof GlobError)) throw error
    refuse(
      'The patterns in .vercelignore and .aloftignore take too long to compare with all files: use fewer or simpler ones.',
    )
  }
  return wanted
}

async function textsOf(
  repositories: StoreTreeParts['repositories'],
  files: readonly OwnedEntry[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  const once = [...new Map(files.map((entry) => [entry.oid, entry])).values()]
  for (const [repository, own] of Map.groupBy(once, (entry) => entry.repository))
    for await (const content of repositories.contents(repository, own)) {
      const text = ('bytes' in content ? content.bytes : await buffer(content.stream)).toString('utf8')
      // To read a line takes the square of its length, for some.
      if (text.split('\n').some((line) => line.length > MAX_LINE))
        refuse(`A line of .vercelignore or .aloftignore is longer than ${MAX_LINE} characters.`)
      texts.set(content.oid, text)
    }
  return texts
}
