import { compileLenientGlob, type GlobBudget, globBudget } from '../glob/glob.ts'

/** Where pnpm has the list of packages that others have in package.json. */
export const PNPM_WORKSPACE = 'pnpm-workspace.yaml'

type Manifest = Readonly<Record<string, unknown>>

interface WorkspaceFiles {
  /** The text of pnpm's file in a folder, which counts before package.json. */
  readonly pnpm: string | undefined
  /** What the package.json beside it holds. */
  readonly manifest: Manifest | undefined
}

/** By what a folder names the packages that are installed together with it; nothing where it is no workspace. */
export function workspacePatterns({ pnpm, manifest }: WorkspaceFiles): readonly string[] {
  if (pnpm !== undefined) return packagesIn(pnpm)
  const { workspaces } = manifest ?? {}
  const list = Array.isArray(workspaces) ? workspaces : (workspaces as Manifest | null | undefined)?.packages
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}

/** For all folders that are asked about: some tenths of a second, however many patterns and folders there are. */
export const workspaceBudget = (): GlobBudget => globBudget(10_000_000)

/**
 * Whether the patterns of a workspace name a folder. Those with a `!` take away what others name. Patterns that are none, and
 * those that would take too long, name nothing: less than nothing is left of the budget then.
 */
export function namedBy(
  patterns: readonly string[],
  budget = workspaceBudget(),
): (folder: string) => boolean {
  const read = (pattern: string) => compileLenientGlob(withoutSlashes(pattern.replace(/^\.\//, '')), budget)
  const isExclusion = (pattern: string) => pattern.startsWith('!')
  const excluding = patterns.filter(isExclusion).map((pattern) => read(pattern.slice(1)))
  const naming = patterns.filter((pattern) => !isExclusion(pattern)).map(read)
  return (folder) =>
    !excluding.some((glob) => glob.matches(folder)) && naming.some((glob) => glob.matches(folder))
}

function withoutSlashes(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '/') end--
  return text.slice(0, end)
}

const KEY = /^packages\s*:/
const NEXT_KEY = /^[^\s#\]-]/
const IN_BRACKETS = /'([^']+)'|"([^"]+)"|([^\s,[\]'"]+)/g

/**
 * The list under `packages:`, at the top level of a file in YAML, one to a line or in brackets. The file is a tenant's: it is read
 * from the left to the right, once, because expressions that look for the end of a line or a quotation begin anew at each blank.
 */
function packagesIn(yaml: string): readonly string[] {
  const lines = yaml.split(/\r?\n/)
  const from = lines.findIndex((line) => KEY.test(line))
  if (from === -1) return []
  const [first = '', ...rest] = lines.slice(from)
  const end = rest.findIndex((line) => NEXT_KEY.test(line))
  const list = [first.replace(KEY, ''), ...(end === -1 ? rest : rest.slice(0, end))]
  if (!list[0]?.trimStart().startsWith('[')) return list.flatMap((line) => itemOf(line) ?? [])
  const inside = list.map(withoutComment).join('\n')
  return [...inside.matchAll(IN_BRACKETS)].map(([, single, double, plain]) => single ?? double ?? plain ?? '')
}

/** What a line such as `- 'packages/*' # ours` names. */
function itemOf(line: string): string | undefined {
  const text = line.trim()
  if (!text.startsWith('-')) return undefined
  const item = (text.slice(1).split('#', 1)[0] ?? '').trim()
  const named = item.replace(/^["']/, '').replace(/["']$/, '').trimEnd()
  return named === '' || /["']/.test(named) ? undefined : named
}

function withoutComment(line: string): string {
  for (let at = line.indexOf('#'); at !== -1; at = line.indexOf('#', at + 1))
    if (at === 0 || /\s/.test(line[at - 1] as string)) return line.slice(0, at)
  return line
}
