import { type CharSet, readCharSet } from './char-set.ts'
import { DEEPEST_GROUP, GlobError } from './glob-error.ts'

/** A part of a pattern between two slashes. */
export type Part =
  | { readonly kind: 'char'; readonly code: number }
  /** One character; undefined: any. */
  | { readonly kind: 'set'; readonly set: CharSet | undefined }
  | { readonly kind: 'star' }
  /** `?(a|b)`, `*(a|b)`, `+(a|b)`, `@(a|b)`, `!(a|b)`. */
  | { readonly kind: 'group'; readonly sign: Sign; readonly of: readonly (readonly Part[])[] }

type Sign = '?' | '*' | '+' | '@' | '!'

/** What stands between two slashes; `**` stands for any number of folders. */
export type Segment = readonly Part[] | '**'

/** A pattern without braces. Empty segments and `.` say nothing, nor does a second `**` after a first. */
export function parseGlob(text: string): readonly Segment[] {
  const names = text.split('/').filter((name) => name !== '' && name !== '.')
  return names
    .filter((name, i) => name !== '**' || names[i - 1] !== '**')
    .map((name) => (name === '**' ? '**' : parseParts(name, 0, false)))
}

function parseParts(text: string, depth: number, inLoop: boolean): readonly Part[] {
  const parts: Part[] = []
  for (let at = 0; at < text.length; ) {
    const group = readGroup(text, at, depth, inLoop)
    const set = group ? undefined : readCharSet(text, at)
    const char = text[at]
    if (group) parts.push(group.part)
    else if (set) parts.push({ kind: 'set', set })
    else if (char === '?') parts.push({ kind: 'set', set: undefined })
    else if (char !== '*') parts.push({ kind: 'char', code: text.charCodeAt(at) })
    else if (parts.at(-1)?.kind !== 'star') parts.push({ kind: 'star' })
    at = group?.end ?? set?.end ?? at + 1
  }
  return parts
}

function readGroup(
  text: string,
  at: number,
  depth: number,
  inLoop: boolean,
): { part: Part; end: number } | undefined {
  const sign = text[at] as string
  if (text[at + 1] !== '(' || !isSign(sign)) return undefined
  const bars: number[] = []
  let open = 0
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '(') open++
    else if (text[i] === '|' && open === 1) bars.push(i)
    else if (text[i] === ')' && --open === 0) {
      if (depth === DEEPEST_GROUP) throw new GlobError(`it nests groups more than ${DEEPEST_GROUP} deep`)
      if (sign === '!' && (inLoop || depth > 0)) throw new GlobError('it has a `!(…)` inside another group')
      const within = inLoop || sign === '*' || sign === '+'
      const edges = [at + 1, ...bars, i]
      const of = edges
        .slice(1)
        .map((end, n) => parseParts(text.slice((edges[n] as number) + 1, end), depth + 1, within))
      return { part: { kind: 'group', sign, of }, end: i + 1 }
    }
  }
  return undefined
}

const isSign = (char: string): char is Sign => '?*+@!'.includes(char)
