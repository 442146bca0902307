import { type GlobBudget, globBudget, spend } from '../glob/glob-budget.ts'

/** One line of an ignore file. */
export interface IgnoreRule {
  /** The folder of the ignore file, as path segments from the root. */
  readonly base: readonly string[]
  readonly negated: boolean
  readonly foldersOnly: boolean
  readonly segments: readonly Segment[]
}

/** A name without wild cards is itself. */
type Segment = string | readonly Token[]
type Token =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'any' }
  | {
      readonly kind: 'set'
      readonly negated: boolean
      readonly ranges: readonly (readonly [string, string])[]
    }

/** `**`: any number of folders. */
const ANY_DEPTH = '**'
const WILD = /[*?[\\]/
const ANY_NAME: readonly Token[] = [{ kind: 'any' }]

/** The rules of an ignore file in the syntax of `.gitignore`. */
export function readIgnoreFile(text: string, base: readonly string[] = []): IgnoreRule[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap((line) => readRule(line, base) ?? [])
}

function readRule(line: string, base: readonly string[]): IgnoreRule | undefined {
  // Blanks at the end do not count, unless the first of them is escaped.
  let end = line.length
  while (line[end - 1] === ' ') end--
  if (end < line.length && line[end - 1] === '\\') end++
  let pattern = line.slice(0, end)
  if (pattern === '' || pattern.startsWith('#')) return undefined
  const negated = pattern.startsWith('!')
  if (negated) pattern = pattern.slice(1)
  const foldersOnly = pattern.endsWith('/')
  if (foldersOnly) pattern = pattern.slice(0, -1)
  const anchored = pattern.includes('/')
  const parts = pattern.replace(/^\//, '').split('/')
  if (parts.some((part) => part === '')) return undefined
  const segments = parts.map(
    (part): Segment => (part === ANY_DEPTH || !WILD.test(part) ? part : readTokens(part)),
  )
  // What `**` ends with is inside of the folder, and not the folder itself.
  if (segments.at(-1) === ANY_DEPTH) segments.push(ANY_NAME)
  return { base, negated, foldersOnly, segments: anchored ? segments : [ANY_DEPTH, ...segments] }
}

function readTokens(part: string): Token[] {
  const chars = [...part]
  const tokens: Token[] = []
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] as string
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'any') tokens.push({ kind: 'any' })
    } else if (char === '?') tokens.push({ kind: 'one' })
    else if (char === '\\' && i + 1 < chars.length) tokens.push({ kind: 'char', char: chars[++i] as string })
    else if (char === '[') {
      const set = readSet(chars, i + 1)
      tokens.push(set?.token ?? { kind: 'char', char })
      i = set?.end ?? i
    } else tokens.push({ kind: 'char', char })
  }
  return tokens
}

/** `[a-z]` and `[!a-z]`; without its end the bracket stands for itself. */
function readSet(
  chars: readonly string[],
  start: number,
): { readonly token: Token; readonly end: number } | undefined {
  const negated = chars[start] === '!' || chars[start] === '^'
  const first = negated ? start + 1 : start
  const ranges: [string, string][] = []
  for (let i = first; i < chars.length; i++) {
    if (chars[i] === ']' && i > first) return { token: { kind: 'set', negated, ranges }, end: i }
    if (chars[i] === '\\' && i + 1 < chars.length) i++
    const from = chars[i] as string
    const isRange = chars[i + 1] === '-' && chars[i + 2] !== undefined && chars[i + 2] !== ']'
    ranges.push([from, isRange ? (chars[i + 2] as string) : from])
    if (isRange) i += 2
  }
  return undefined
}

/** Whether the rules leave a path out. */
export const isIgnored = (
  rules: readonly IgnoreRule[],
  path: readonly string[],
  isFolder: boolean,
): boolean => verdictOf(rules, path, { isFolder, budget: globBudget(Number.POSITIVE_INFINITY) }) ?? false

/** What the last rule that matches a path says of it: whether it is left out. Undefined where none does. */
export function verdictOf(
  rules: readonly IgnoreRule[],
  path: readonly string[],
  { isFolder, budget }: { readonly isFolder: boolean; readonly budget: GlobBudget },
): boolean | undefined {
  for (let i = rules.length - 1; i >= 0; i--) {
    const rule = rules[i] as IgnoreRule
    spend(budget, 1 + rule.base.length)
    if (rule.foldersOnly && !isFolder) continue
    if (!rule.base.every((part, at) => path[at] === part)) continue
    if (matches(rule, path, budget)) return !rule.negated
  }
  return undefined
}

function matches({ segments, base }: IgnoreRule, path: readonly string[], budget: GlobBudget): boolean {
  const [first, name] = segments
  // Most patterns are of one name at any depth.
  if (segments.length === 2 && first === ANY_DEPTH && name !== undefined && name !== ANY_DEPTH)
    return path.length > base.length && matchName(name, path.at(-1) as string, budget)
  spend(budget, path.length)
  return matchWild(segments, path.slice(base.length), {
    isWild: (segment) => segment === ANY_DEPTH,
    fits: (segment, part) => segment !== ANY_DEPTH && matchName(segment, part, budget),
    budget,
  })
}

function matchName(segment: Segment, name: string, budget: GlobBudget): boolean {
  if (typeof segment === 'string') return segment === name
  spend(budget, name.length)
  return matchWild(segment, [...name], {
    isWild: (token) => token.kind === 'any',
    fits(token, char) {
      if (token.kind === 'set') spend(budget, token.ranges.length)
      return matchToken(token, char)
    },
    budget,
  })
}

function matchToken(token: Token, char: string): boolean {
  if (token.kind === 'char') return token.char === char
  if (token.kind === 'set')
    return token.ranges.some(([from, to]) => from <= char && char <= to) !== token.negated
  return token.kind === 'one'
}

/**
 * A pattern with wild cards for any number of items. It goes back to the newest wild card only, so that no
 * pattern takes longer than its length times that of the list.
 */
function matchWild<P, T>(
  pattern: readonly P[],
  list: readonly T[],
  {
    isWild,
    fits,
    budget,
  }: {
    readonly isWild: (part: P) => boolean
    readonly fits: (part: P, item: T) => boolean
    readonly budget: GlobBudget
  },
): boolean {
  let at = 0
  let wild = -1
  let resume = 0
  for (let i = 0; i < list.length; ) {
    spend(budget, 1)
    const part = pattern[at]
    if (part !== undefined && isWild(part)) {
      wild = at++
      resume = i
    } else if (part !== undefined && fits(part, list[i] as T)) {
      at++
      i++
    } else if (wild >= 0) {
      at = wild + 1
      i = ++resume
    } else return false
  }
  while (at < pattern.length && isWild(pattern[at] as P)) at++
  return at === pattern.length
}
