import type { Token } from './pattern-tokens.ts'

/** About how many instructions the pattern's program will have, with what is slow to compile counted more. */
export function sizeOf(tokens: readonly Token[]): number {
  const outer: number[] = []
  let total = 0
  let last = 0
  for (const token of tokens) {
    if (token.kind === 'repeat') {
      const count = Number.isFinite(token.max) ? token.max : token.min + 1
      total += last * Math.max(count - 1, 0)
      last *= Math.max(count, 1)
      continue
    }
    if (token.kind === 'open') {
      outer.push(total)
      total = 0
      last = 0
      continue
    }
    last = token.kind === 'close' ? total + GROUP_SIZE : sizeOfAtom(token)
    total = token.kind === 'close' ? (outer.pop() ?? 0) + last : total + last
  }
  return tokens.reduce((size, token) => size + foldingSize(token), total)
}

const GROUP_SIZE = 2
const UNICODE_SET_SIZE = 50
/** Characters and ranges of a set that take as long, and as much memory, as an instruction. */
const ITEMS_PER_SIZE = 16
/** Characters whose other cases take as long to find as an instruction takes to compile. */
const FOLDED_PER_SIZE = 128

const ESCAPED = String.raw`\\(?:[xu]\{[0-9a-f]+\}|x[0-9a-f]{2}|u[0-9a-f]{4}|.)`
/** A character of a set, or a range of them. */
const SET_ITEM = new RegExp(`(${ESCAPED}|.)(?:-(${ESCAPED}|.))?`, 'gisu')

function sizeOfAtom(token: Token): number {
  if (token.kind === 'text') return token.text.length
  if (token.kind !== 'set') return 1
  const classes = token.text.match(/\\p/gi)?.length ?? 0
  return 1 + UNICODE_SET_SIZE * classes + Math.floor(itemsOf(token).length / ITEMS_PER_SIZE)
}

/** The engine looks for the other cases of each character of a range, once however often the set is repeated. */
function foldingSize(token: Token): number {
  const folded = itemsOf(token).reduce((sum, [, first = '', last]) => sum + foldedOf(first, last), 0)
  return Math.floor(folded / FOLDED_PER_SIZE)
}

const itemsOf = (token: Token): readonly (readonly string[])[] =>
  token.kind === 'set' && token.text.startsWith('[') ? [...token.text.slice(1, -1).matchAll(SET_ITEM)] : []

/** Outside of these no character has another case; a range that holds them all is in no need of any. */
const FIRST_CASED = 0x41
const LAST_CASED = 0x1e943

function foldedOf(first: string, last: string | undefined): number {
  if (last === undefined) return 0
  const from = pointOf(first)
  const to = pointOf(last)
  if (from <= FIRST_CASED && to >= LAST_CASED) return 0
  return Math.max(Math.min(to, LAST_CASED) - Math.max(from, FIRST_CASED) + 1, 0)
}

function pointOf(char: string): number {
  const hex = /^\\[xu]\{?([0-9a-f]+)/i.exec(char)?.[1]
  return hex === undefined
    ? (char.codePointAt(char.length > 1 && char.startsWith('\\') ? 1 : 0) ?? 0)
    : Number.parseInt(hex, 16)
}
