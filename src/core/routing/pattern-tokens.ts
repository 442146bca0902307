export type Token =
  /** Literal text; a single character if a repeat follows. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'any' | 'alternative' | 'close' | 'assertion' | 'flags' }
  | { readonly kind: 'set'; readonly text: string }
  | { readonly kind: 'open'; readonly captures: boolean; readonly name: string | undefined }
  | { readonly kind: 'repeat'; readonly min: number; readonly max: number }

export type Tokens =
  | { readonly ok: true; readonly tokens: readonly Token[] }
  | { readonly ok: false; readonly reason: string }

/** Reads a pattern far enough to know its literal parts, its groups and its size. */
export function readTokens(pattern: string): Tokens {
  const tokens: Token[] = []
  let depth = 0
  for (let at = 0; at < pattern.length; ) {
    const next = readToken(pattern, at)
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

/** What other engines offer, with the reason why it is refused. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/\(\?[=!]/y, `look-ahead ${LINEAR}`],
  [/\(\?<[=!]/y, `look-behind ${LINEAR}`],
  [/\\[1-9]|\\k[<{']|\\g|\(\?P=/y, `a back-reference ${LINEAR}`],
  [/\(\?>/y, `an atomic group ${LINEAR}`],
  [/\(\?\(/y, `a conditional group ${LINEAR}`],
  [new RegExp(`(?:[*+?]|${COUNT})\\+`, 'y'), `a possessive quantifier ${LINEAR}`],
  [new RegExp(`\\(\\?[imsU-]+\\)(?:[*+?]|${COUNT})`, 'y'), 'a quantifier after flags has nothing to repeat'],
  [/\(\?P?<(?![A-Za-z_]\w*>)/y, 'a group name is made of letters, digits and _, and starts with no digit'],
  [/\[\^?\]/y, 'a character class is empty'],
  [new RegExp(`(?=\\[)(?!${SET})`, 'suy'), 'a [ is not closed by ]'],
  [/\\[QE]/y, String.raw`quoting with \Q…\E is not supported`],
  [/\\$/y, 'it ends in a lone backslash'],
]

const PLAIN = String.raw`(?:[^\\^$.|?*+()[{]|\\[^A-Za-z0-9])`
const PLAIN_RUN = new RegExp(`${PLAIN}+(?![*+?{])`, 'suy')

const READERS: readonly (readonly [RegExp, (match: RegExpExecArray) => Token])[] = [
  [new RegExp(PLAIN, 'suy'), ([text]) => ({ kind: 'text', text: unquote(text) })],
  [/\(\?P?<(\w+)>/y, ([, name]) => ({ kind: 'open', captures: true, name })],
  [/\(\?[imsU-]*:/y, () => ({ kind: 'open', captures: false, name: undefined })],
  [/\(\?[imsU-]+\)/y, () => ({ kind: 'flags' })],
  [/\((?!\?)/y, () => ({ kind: 'open', captures: true, name: undefined })],
  [/\)/y, () => ({ kind: 'close' })],
  [/\|/y, () => ({ kind: 'alternative' })],
  [/\./y, () => ({ kind: 'any' })],
  [/\*\??/y, () => ({ kind: 'repeat', min: 0, max: Number.POSITIVE_INFINITY })],
  [/\+\??/y, () => ({ kind: 'repeat', min: 1, max: Number.POSITIVE_INFINITY })],
  [/\?\??/y, () => ({ kind: 'repeat', min: 0, max: 1 })],
  [new RegExp(`${COUNT}\\??`, 'y'), ([text]) => readCount(text)],
  [/\{/y, ([text]) => ({ kind: 'text', text })],
  [new RegExp(SET, 'suy'), ([text]) => ({ kind: 'set', text })],
  [/[\^$]|\\[bBAz]/y, () => ({ kind: 'assertion' })],
  [
    /\\(?:[dDwWsStnrfva]|[pP](?:\{[^}]*\}|[A-Z])|x[0-9A-Fa-f]{2}|x\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|c[A-Za-z])/y,
    ([text]) => ({ kind: 'set', text }),
  ],
]

function readToken(pattern: string, at: number): { token: Token; end: number } | string {
  const plain = matchAt(PLAIN_RUN, pattern, at)
  if (plain !== null) return { token: { kind: 'text', text: unquote(plain[0]) }, end: PLAIN_RUN.lastIndex }
  for (const [syntax, reason] of REFUSED) if (matchAt(syntax, pattern, at) !== null) return reason
  for (const [syntax, read] of READERS) {
    const match = matchAt(syntax, pattern, at)
    if (match !== null) return { token: read(match), end: syntax.lastIndex }
  }
  return `${pattern.slice(at, at + 3)} at position ${at} is not understood`
}

const unquote = (text: string): string => text.replace(/\\(.)/gsu, '$1')

function matchAt(syntax: RegExp, text: string, at: number): RegExpExecArray | null {
  syntax.lastIndex = at
  return syntax.exec(text)
}

function readCount(text: string): Token {
  const [min = '', max = min] = text.replace(/[{}?]/g, '').split(',')
  return { kind: 'repeat', min: Number(min), max: max === '' ? Number.POSITIVE_INFINITY : Number(max) }
}
