import type { Token } from './pattern-tokens.ts'

/** How a pattern can be tried without a regex engine. Texts are in lower case. */
export type Shape =
  | { readonly kind: 'literal'; readonly before: string }
  /** One wildcard between two texts, as in `/blog/(.*)` and `/([^/]+)\.html`. */
  | {
      readonly kind: 'wildcard'
      readonly before: string
      readonly after: string
      readonly min: number
      readonly crossesSlash: boolean
      readonly captures: boolean
    }
  /** Anything else, with the texts that whatever it matches begins and ends with. */
  | { readonly kind: 'regex'; readonly before: string; readonly after: string }

export function shapeOf(tokens: readonly Token[]): Shape {
  if (hasTopLevelAlternative(tokens)) return { kind: 'regex', before: '', after: '' }
  const start = literalLength(tokens)
  const before = textOf(tokens.slice(0, start))
  if (start === tokens.length) return { kind: 'literal', before }
  const end = tokens.findLastIndex((token) => !isLiteral(token)) + 1
  const after = textOf(tokens.slice(end))
  const wildcard = wildcardOf(tokens.slice(start, end))
  return wildcard === undefined
    ? { kind: 'regex', before, after }
    : { kind: 'wildcard', before, after, ...wildcard }
}

function hasTopLevelAlternative(tokens: readonly Token[]): boolean {
  let depth = 0
  for (const { kind } of tokens) {
    if (kind === 'open') depth++
    else if (kind === 'close') depth--
    else if (kind === 'alternative' && depth === 0) return true
  }
  return false
}

/** Only ASCII: beyond it, letter case is more than a change to lower case. */
const isLiteral = (token: Token): boolean => token.kind === 'text' && ASCII.test(token.text)

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
const ASCII = /^[\x00-\x7f]*$/

function literalLength(tokens: readonly Token[]): number {
  const end = tokens.findIndex((token) => !isLiteral(token))
  if (end < 0) return tokens.length
  return tokens[end]?.kind === 'repeat' ? Math.max(end - 1, 0) : end
}

const textOf = (tokens: readonly Token[]): string =>
  tokens.map((token) => (token.kind === 'text' ? token.text.toLowerCase() : '')).join('')

function wildcardOf(tokens: readonly Token[]) {
  const [first] = tokens
  const captures = first?.kind === 'open' && first.captures && tokens.at(-1)?.kind === 'close'
  const [what, repeat, ...more] = captures ? tokens.slice(1, -1) : tokens
  if (more.length > 0 || repeat?.kind !== 'repeat' || repeat.min > 1 || Number.isFinite(repeat.max))
    return undefined
  const crossesSlash = what?.kind === 'any'
  if (!crossesSlash && !(what?.kind === 'set' && NO_SLASH.test(what.text))) return undefined
  return { min: repeat.min, crossesSlash, captures }
}

const NO_SLASH = /^\[\^\\?\/\]$/
