export type Token =
  /** Literal text; a single character if a repeat follows. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'any' | 'alternative' | 'close' }
  | { readonly kind: 'set' | 'assertion' | 'flags'; readonly text: string }
  | {
      readonly kind: 'open'
      readonly captures: boolean
      readonly name: string | undefined
      /** Of a look-around, what follows the question mark. */
      readonly look?: LookAroundKind
      /** Flags for this group alone. */
      readonly flags?: string
    }
  | { readonly kind: 'repeat'; readonly min: number; readonly max: number; readonly isLazy: boolean }

type LookAroundKind = '=' | '!' | '<=' | '<!'

type Tokens =
  | { readonly ok: true; readonly tokens: readonly Token[] }
  | { readonly ok: false; readonly reason: string }

/** Reads a pattern far enough to know its literal parts, its groups and its size. */
export function readTokens(pattern: string, takesLookAround = false): Tokens {
  const tokens: Token[] = []
  let depth = 0
  for (let at = 0; at < pattern.length; ) {
    const next = readToken(pattern, at, takesLookAround)
    if (typeof next === 'string') return { ok: false, reason: next }
    const { token, end } = next
    if (token.kind === 'open') depth++
    if (token.kind === 'close' && --depth < 0) return { ok: false, reason: 'a ) has no opening (' }
    tokens.push(token)
    at = end
  }
  return depth === 0 ? { ok: true, tokens } : { ok: false, reason: 'a ( is not closed by )' }
}

const LINEAR = 'is not supported, because patterns run on an engine with a guaranteed linear running time'
const SET = String.raw`\[\^?(?:\\.|\[:\^?\w+:\]|[^\]\\])+\]`
const COUNT = String.raw`\{\d+(?:,\d*)?\}`

type Refused = readonly (readonly [RegExp, string])[]

const LOOK_AROUND: Refused = [
  [/\(\?[=!]/y, `look-ahead ${LINEAR}`],
  [/\(\?<[=!]/y, `look-behind ${LINEAR}`],
]

/** What other engines offer, with the reason why it is refused. */
const REFUSED: Refused = [
  [/\\[1-9]|\\k[<{']|\\g|\(\?P=/y, `a back-reference ${LINEAR}`],
  [/\(\?>/y, `an atomic group ${LINEAR}`],
  [/\(\?\(/y, `a conditional group ${LINEAR}`],
  [new RegExp(`(?:[*+?]|${COUNT})\\+`, 'y'), `a possessive quantifier ${LINEAR}`],
  [new RegExp(`\\(\\?[imsU-]+\\)(?:[*+?]|${COUNT})`, 'y'), 'a quantifier after flags has nothing to repeat'],
  [
    /\(\?P?<(?![A-Za-z_]\w*>|[=!])/y,
    'a group name is made of letters, digits and _, and does not start with a digit',
  ],
  [/\[\^?\]/y, 'a character class is empty'],
  [new RegExp(`(?=\\[)(?!${SET})`, 'suy'), 'a [ is not closed by ]'],
  [/\\[QE]/y, 'quoting with \\Q…\\E is not supported'],
  [/\\$/y, 'it ends in a lone backslash'],
]

const PLAIN = String.raw`(?:[^\\^$.|?*+()[{]|\\[^A-Za-z0-9])`
const PLAIN_RUN = new RegExp(`${PLAIN}+(?![*+?{])`, 'suy')

const READERS: readonly (readonly [RegExp, (match: RegExpExecArray) => Token])[] = [
  [new RegExp(PLAIN, 'suy'), ([text]) => ({ kind: 'text', text: unquote(text) })],
  [/\(\?P?<(\w+)>/y, ([, name]) => ({ kind: 'open', captures: true, name })],
  [
    /\(\?([imsU-]*):/y,
    ([, flags = '']) => ({ kind: 'open', captures: false, name: undefined, ...(flags && { flags }) }),
  ],
  // Only the four ways to look around match.
  [
    /\(\?(<?[=!])/y,
    ([, look]) => ({ kind: 'open', captures: false, name: undefined, look: look as LookAroundKind }),
  ],
  [/\(\?[imsU-]+\)/y, ([text]) => ({ kind: 'flags', text })],
  [/\((?!\?)/y, () => ({ kind: 'open', captures: true, name: undefined })],
  [/\)/y, () => ({ kind: 'close' })],
  [/\|/y, () => ({ kind: 'alternative' })],
  [/\./y, () => ({ kind: 'any' })],
  [
    /\*\??/y,
    ([text]) => ({ kind: 'repeat', min: 0, max: Number.POSITIVE_INFINITY, isLazy: text.length > 1 }),
  ],
  [
    /\+\??/y,
    ([text]) => ({ kind: 'repeat', min: 1, max: Number.POSITIVE_INFINITY, isLazy: text.length > 1 }),
  ],
  [/\?\??/y, ([text]) => ({ kind: 'repeat', min: 0, max: 1, isLazy: text.length > 1 })],
  [new RegExp(`${COUNT}\\??`, 'y'), ([text]) => readCount(text)],
  [/\{/y, ([text]) => ({ kind: 'text', text })],
  [new RegExp(SET, 'suy'), ([text]) => ({ kind: 'set', text })],
  [/[\^$]|\\[bBAz]/y, ([text]) => ({ kind: 'assertion', text })],
  [
    /\\(?:[dDwWsStnrfva]|[pP](?:\{[^}]*\}|[A-Z])|x[0-9A-Fa-f]{2}|x\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|c[A-Za-z])/y,
    ([text]) => ({ kind: 'set', text }),
  ],
]

function readToken(
  pattern: string,
  at: number,
  takesLookAround: boolean,
): { token: Token; end: number } | string {
  const plain = matchAt(PLAIN_RUN, pattern, at)
  if (plain !== null) return { token: { kind: 'text', text: unquote(plain[0]) }, end: PLAIN_RUN.lastIndex }
  const refused = takesLookAround ? REFUSED : [...LOOK_AROUND, ...REFUSED]
  for (const [syntax, reason] of refused) if (matchAt(syntax, pattern, at) !== null) return reason
  for (const [syntax, read] of READERS) {
    const match = matchAt(syntax, pattern, at)
    if (match !== null) return { token: read(match), end: syntax.lastIndex }
  }
  return `${pattern.slice(at, at + 3)} at position ${at} is not supported`
}

const unquote = (text: string): string => text.replace(/\\(.)/gsu, '$1')

function matchAt(syntax: RegExp, text: string, at: number): RegExpExecArray | null {
  syntax.lastIndex = at
  return syntax.exec(text)
}

function readCount(text: string): Token {
  const [min = '', max = min] = text.replace(/[{}?]/g, '').split(',')
  return {
    kind: 'repeat',
    min: Number(min),
    max: max === '' ? Number.POSITIVE_INFINITY : Number(max),
    isLazy: text.endsWith('?'),
  }
}
